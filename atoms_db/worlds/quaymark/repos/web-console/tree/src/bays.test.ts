import { expect, test } from "vitest";
import { bays } from "./bays";

test("a bay that stands twice in a template is offered once", () => {
  expect(bays({ day: "bank-holiday", bays: ["1", "2", "3", "3"] })).toEqual(["1", "2", "3"]);
});
