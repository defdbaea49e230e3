/** Content-Security-Policy of the pages, by area. */
export const policies = {
  board: "default-src 'self'; img-src 'self' https://tiles.signpostmaps.example",
  pay: "default-src 'self'; script-src 'self' https://js.cardrails.example",
};
