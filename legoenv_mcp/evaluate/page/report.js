"use strict";
// What models and tools wrote goes into text nodes only: nothing here makes markup of a string.
const $ = (selector) => document.querySelector(selector);
const PAGE = 100;
const VERDICTS = ["passed", "failed", "invalid"];

function h(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "onclick") made.addEventListener("click", value);
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) made.append(child);
  return made;
}

async function unpacked(id) {
  const text = document.getElementById(id).textContent.trim();
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

let rows = [], clusters = [], places = new Map();
let shown = [], page = 0, sorted = null, backwards = false, cluster = null;
const runs = () => Math.max(...rows.map((row) => row.run), 0) + 1;

// The table

const COLUMNS = [
  ["Environment", (row) => row.environment, ""],
  ["Run", (row) => row.run, "number"],
  ["Attempt", (row) => row.attempt, "number"],
  ["Verdict", (row) => VERDICTS.indexOf(row.verdict), ""],
  ["Root cause", (row) => row.cause, ""],
  ["Difficulty", (row) => row.difficulty, "number"],
  ["Apps", (row) => row.apps.join(", "), ""],
  ["Turns", (row) => row.steps, "number"],
  ["Calls", (row) => row.calls, "number"],
  ["Tokens", (row) => row.tokens, "number"],
  ["Cost", (row) => row.cost ?? -1, "number"],
  ["Seconds", (row) => row.seconds, "number"],
];
const columns = () => COLUMNS.filter(([name]) => (name !== "Run" || runs() > 1) && (name !== "Cost" || rows.some((row) => row.cost !== null)));

function cell(name, row) {
  switch (name) {
    case "Environment": return h("button", { type: "button", class: "link" }, row.environment);
    case "Run": return String(row.run + 1);
    case "Verdict": return h("span", { class: `badge ${row.verdict}` }, row.verdict);
    case "Root cause": return row.cause ? [row.cause, h("br"), h("small", {}, row.about)] : row.ended === "answered" ? "" : h("small", {}, row.ended.replace("_", " "));
    case "Tokens": return row.tokens.toLocaleString("en");
    case "Cost": return row.cost === null ? "–" : `$${row.cost.toFixed(4)}`;
    case "Seconds": return row.seconds.toFixed(1);
    case "Apps": return row.apps.join(", ");
    default: return String(COLUMNS.find(([title]) => title === name)[1](row));
  }
}

function heading() {
  const line = h("tr");
  for (const [name, , kind] of columns()) {
    const sort = h("button", { type: "button", onclick: () => {
      backwards = sorted === name ? !backwards : kind === "number" && name !== "Attempt";
      sorted = name;
      draw();
      document.querySelector(`#table th[data-name="${name}"] button`).focus();
    } }, name);
    const order = sorted === name ? (backwards ? "descending" : "ascending") : "none";
    line.append(h("th", { scope: "col", class: kind, "aria-sort": order, "data-name": name }, sort));
  }
  $("#table thead").replaceChildren(line);
}

function chosen() {
  const words = $("#search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = [...document.querySelectorAll("[data-filter]")].filter((one) => one.value !== "").map((one) => [one.dataset.filter, one.value]);
  return rows.filter((row) => {
    if (cluster && (row.run !== cluster.run || row.cluster !== cluster.number)) return false;
    for (const [field, value] of wanted) {
      const has = row[field];
      if (Array.isArray(has) ? !has.includes(value) : String(has) !== value) return false;
    }
    return words.every((word) => row.text.includes(word));
  });
}

function draw() {
  shown = chosen();
  if (sorted) {
    const of = COLUMNS.find(([name]) => name === sorted)[1], way = backwards ? -1 : 1;
    shown.sort((a, b) => { const x = of(a), y = of(b); return (x < y ? -1 : x > y ? 1 : a.place - b.place) * way; });
  }
  const pages = Math.max(1, Math.ceil(shown.length / PAGE));
  page = Math.min(page, pages - 1);
  heading();
  $("#table tbody").replaceChildren(...shown.slice(page * PAGE, (page + 1) * PAGE).map((row) =>
    h("tr", { onclick: () => open(row) }, columns().map(([name, , kind]) => h("td", { class: kind }, cell(name, row))))));
  if (!shown.length) $("#table tbody").append(h("tr", {}, h("td", { colspan: String(columns().length), class: "hint" }, "No rollout is like that.")));
  const passed = shown.filter((row) => row.verdict === "passed").length, valid = shown.filter((row) => row.verdict !== "invalid").length;
  const share = valid ? `, ${(100 * passed / valid).toFixed(1)} % of the valid ones passed` : "";
  $("#count").textContent = `${shown.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")}${share}`;
  $("#page").textContent = `page ${page + 1} of ${pages}`;
  $("#before").disabled = page === 0;
  $("#after").disabled = page === pages - 1;
  const bar = $("#chosen");
  bar.hidden = !cluster;
  if (cluster) bar.firstElementChild.textContent = `Failures alike: ${cluster.cause}, ${cluster.about}`;
}

function choices() {
  for (const select of document.querySelectorAll("[data-filter]")) {
    if (select.options.length) continue;
    const field = select.dataset.filter;
    const values = [...new Set(rows.flatMap((row) => row[field]).map(String))].filter(Boolean);
    values.sort((a, b) => field === "verdict" ? VERDICTS.indexOf(a) - VERDICTS.indexOf(b) : a.localeCompare(b, "en", { numeric: true }));
    select.append(h("option", { value: "" }, "all"), ...values.map((value) => h("option", { value }, value)));
    select.closest("label").hidden = values.length === 0;
  }
}

function only(filters) {
  $("#filters").reset();
  for (const [name, value] of Object.entries(filters)) {
    const select = document.querySelector(`[data-filter="${name}"]`);
    if (select) select.value = value;
  }
  page = 0;
  draw();
  $("#rollouts").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  $("#search").focus({ preventScroll: true });
}

// One rollout

let current = null;

async function open(row) {
  current = row;
  const viewer = $("#viewer"), body = $("#viewer-body");
  const hash = `#rollout=${row.run}/${row.environment}/${row.attempt}`;
  if (location.hash !== hash) history.replaceState(null, "", hash);
  $("#viewer-title").replaceChildren(row.environment, h("span", { class: `badge ${row.verdict}` }, row.verdict));
  const facts = [`attempt ${row.attempt}`, `difficulty ${row.difficulty}`, row.apps.join(", "), row.world, `${row.steps} turns`, `${row.calls} calls`,
    row.tokens ? `${row.tokens.toLocaleString("en")} tokens` : "", row.cost === null ? "" : `$${row.cost.toFixed(4)}`, `${row.seconds.toFixed(1)} s`];
  if (runs() > 1) facts.unshift(`run ${row.run + 1}`);
  $("#viewer-facts").textContent = facts.filter(Boolean).join(" · ");
  const at = shown.indexOf(row);
  $("#older").disabled = at <= 0;
  $("#newer").disabled = at < 0 || at === shown.length - 1;
  if (!viewer.open) { viewer.showModal(); $("#viewer-title").focus(); }
  body.replaceChildren(h("p", { class: "hint" }, "unpacking …"));
  try {
    const all = await unpacked(`t${row.run}-${places.get(row.environment)}`);
    if (current === row) body.replaceChildren(...parts(row, all[row.attempt]).filter(Boolean));
  } catch (error) {
    body.replaceChildren(h("p", { class: "note" }, `This trajectory cannot be unpacked: ${error}. A current browser is needed.`));
  }
  body.scrollTop = 0;
}

function parts(row, rollout) {
  const made = [attempts(row)];
  if (row.cause) made.push(h("section", { class: "why" }, h("h3", {}, `${row.cause}: ${row.about}`), h("p", { class: "prose" }, row.evidence)));
  if (rollout.fault) made.push(h("section", { class: "why fault" }, h("h3", {}, `Invalid: the fault of the ${rollout.fault.boundary.replace("_", " ")}`), h("p", { class: "prose" }, rollout.fault.message)));
  made.push(h("section", {}, h("h3", {}, "Instruction"), h("p", { class: "prose" }, rollout.instruction)));
  if (rollout.assertions.length) made.push(h("section", {}, h("h3", {}, `Assertions (${rollout.assertions.filter((one) => one.passed).length} of ${rollout.assertions.length} passed)`),
    h("ul", { class: "assertions" }, rollout.assertions.map((one) => h("li", { class: one.passed ? "passed" : "failed" }, h("b", {}, one.name), h("span", {}, one.detail))))));
  made.push(h("section", {}, h("h3", {}, "State diff"), rollout.diff.length ? rollout.diff.map(change) : h("p", { class: "hint" }, "Nothing was changed.")));
  made.push(h("section", {}, h("h3", {}, "Trajectory"), rollout.turns.length ? rollout.turns.map(turn) : h("p", { class: "hint" }, "No turn was taken.")));
  if (rollout.answer) made.push(h("section", {}, h("h3", {}, "Answer"), h("p", { class: "prose" }, rollout.answer)));
  if (rollout.notes.length) made.push(h("section", {}, h("h3", {}, "What the harness did"), h("ul", {}, rollout.notes.map((note) => h("li", {}, note)))));
  const used = rollout.usage;
  made.push(h("section", {}, h("h3", {}, "Provenance"), h("p", { class: "hint" },
    `${rollout.folder} · started ${rollout.started || "–"} · ended: ${row.ended.replace("_", " ")} · environment ${rollout.environment_hash} · verifier ${rollout.verifier_hash} · `
    + `${used.input_tokens.toLocaleString("en")} tokens in, ${used.output_tokens.toLocaleString("en")} out${row.branch && row.branch !== "no rule" ? ` · rules: ${row.branch}` : ""}`)));
  return made;
}

const siblings = (row) => rows.filter((one) => one.environment === row.environment).sort((a, b) => a.run - b.run || a.attempt - b.attempt);

function attempts(row) {
  const all = siblings(row);
  if (all.length < 2) return null;
  return h("div", { class: "attempts" }, "Its rollouts:", all.map((one) => h("button", { type: "button", class: one.verdict, "aria-current": one === row ? "true" : "false", onclick: () => open(one) },
    `${runs() > 1 ? `run ${one.run + 1}, ` : ""}${one.attempt} ${one.verdict === "passed" ? "✓" : one.verdict === "failed" ? "✗" : "?"}`)));
}

function turn(one) {
  if (one.role) return h("div", { class: "turn" }, h("div", { class: "who" }, one.role), h("details", {}, h("summary", {}, brief(one.text)), h("p", { class: "prose" }, one.text)));
  const long = one.reasoning.length > 700;
  return h("div", { class: "turn" }, h("div", { class: "who" }, `turn ${one.turn + 1}`),
    one.reasoning && h("details", { open: !long }, h("summary", {}, long ? `Reasoning (${one.reasoning.length.toLocaleString("en")} characters)` : "Reasoning"), h("div", { class: "prose reasoning" }, one.reasoning)),
    one.text && h("p", { class: "prose" }, one.text), one.calls.map(call));
}

function call(one) {
  const refused = one.status >= 400, given = typeof one.arguments === "string" ? one.arguments : JSON.stringify(one.arguments, null, 2);
  const result = pretty(one.result);
  return h("div", { class: `call${refused ? " refused" : ""}` },
    h("div", { class: "head" }, h("span", { class: `badge ${one.status < 400 ? "passed" : one.status < 500 ? "failed" : "invalid"}` }, String(one.status)), h("code", {}, one.tool || "(unreadable)"), h("span", { class: "time" }, one.seconds ? `${(1000 * one.seconds).toFixed(0)} ms` : "")),
    h("div", { class: "body" }, h("p", { class: "label" }, "arguments"), h("pre", {}, given),
      h("details", { open: refused || result.length < 1200 }, h("summary", {}, `result, ${one.result.length.toLocaleString("en")} characters`), h("pre", {}, result))));
}

// Numbers beyond what a browser holds exactly would be shown wrong: then the text stays as it is.
function pretty(text) {
  if (!/^\s*[[{]/.test(text) || /[:[,]\s*-?\d{16,}/.test(text)) return text;
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

const brief = (text) => text.length > 90 ? `${text.slice(0, 89)}…` : text;
const value = (one) => one === null ? "null" : typeof one === "string" ? one : JSON.stringify(one);

// Of a structured column only what differs.
function differing(name, before, after) {
  const structured = (one) => one !== null && typeof one === "object";
  if (!structured(before) || !structured(after) || Array.isArray(before) !== Array.isArray(after)) return [[name, { before, after }]];
  if (Array.isArray(before) && before.length !== after.length) return [[name, { before, after }]];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .flatMap((key) => differing(`${name}.${key}`, before[key] ?? null, after[key] ?? null));
}

function change(one) {
  const lines = one.change === "update"
    ? Object.entries(one.columns).flatMap(([name, was]) => differing(name, was.before, was.after)).map(([name, was]) => h("tr", {}, h("td", {}, name), h("td", {}, h("del", {}, value(was.before)), " → ", h("ins", {}, value(was.after)))))
    : Object.entries(one.after || one.before || {}).filter(([, has]) => has !== null && has !== "").map(([name, has]) => h("tr", {}, h("td", {}, name), h("td", {}, h(one.change === "insert" ? "ins" : "del", {}, value(has)))));
  return h("div", { class: "change" }, h("div", { class: "head" }, h("span", { class: one.change }, one.change), ` ${one.app}.${one.table} ${one.key.join("/")}`), h("table", {}, h("tbody", {}, lines)));
}

function step(by) {
  const next = shown[shown.indexOf(current) + by];
  if (next) open(next);
}

// Wiring

function tabs() {
  const all = [...document.querySelectorAll("[role=tab]")];
  const select = (tab) => {
    for (const one of all) {
      one.setAttribute("aria-selected", String(one === tab));
      one.tabIndex = one === tab ? 0 : -1;
      document.getElementById(one.getAttribute("aria-controls")).hidden = one !== tab;
    }
    tab.focus();
  };
  all.forEach((tab, at) => {
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (by) select(all[(at + by + all.length) % all.length]);
    });
  });
}

function theme() {
  const root = document.documentElement;
  const kept = (() => { try { return localStorage.getItem("legoenv-theme"); } catch { return null; } })();
  if (kept) root.dataset.theme = kept;
  $("#theme").addEventListener("click", () => {
    const dark = (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("legoenv-theme", root.dataset.theme); } catch { /* a page from a file may not keep anything */ }
  });
}

function fromHash() {
  const found = /^#rollout=(\d+)\/(.+)\/(\d+)$/.exec(decodeURI(location.hash));
  const row = found && rows.find((one) => one.run === +found[1] && one.environment === found[2] && one.attempt === +found[3]);
  if (row) open(row);
}

async function start() {
  theme();
  tabs();
  const data = await unpacked("data");
  rows = data.rows.map((row, place) => ({ ...row, place, text: [row.environment, row.intent, row.domain, row.world, row.apps.join(" "), row.cause, row.about, row.evidence, row.branch].join(" ").toLowerCase() }));
  clusters = data.clusters;
  places = new Map(data.environments.map((name, at) => [name, at]));
  choices();
  draw();
  $("#filters").addEventListener("input", () => { page = 0; draw(); });
  $("#filters").addEventListener("submit", (event) => event.preventDefault());
  $("#filters").addEventListener("reset", () => { cluster = null; page = 0; setTimeout(draw); });
  $("#before").addEventListener("click", () => { page -= 1; draw(); });
  $("#after").addEventListener("click", () => { page += 1; draw(); });
  $("#chosen button").addEventListener("click", () => { cluster = null; draw(); });
  for (const button of document.querySelectorAll("[data-cause]")) button.addEventListener("click", () => only({ cause: button.dataset.cause, run: button.dataset.run }));
  for (const button of document.querySelectorAll("[data-cluster]")) button.addEventListener("click", () => {
    const run = +button.dataset.run, number = +button.dataset.cluster;
    const one = clusters.filter((each) => each.run === run)[number];
    only({});
    cluster = { run, number, cause: one.cause, about: one.about };
    draw();
  });
  for (const button of document.querySelectorAll("[data-environment]")) button.addEventListener("click", () => open(rows.find((row) => row.environment === button.dataset.environment)));
  const viewer = $("#viewer");
  $("#close").addEventListener("click", () => viewer.close());
  $("#older").addEventListener("click", () => step(-1));
  $("#newer").addEventListener("click", () => step(1));
  viewer.addEventListener("click", (event) => { if (event.target === viewer) viewer.close(); });
  viewer.addEventListener("close", () => { current = null; history.replaceState(null, "", location.pathname + location.search); });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (viewer.open) {
      if (event.key === "ArrowLeft" || event.key === "k") step(-1);
      else if (event.key === "ArrowRight" || event.key === "j") step(1);
      else if (/^[1-9]$/.test(event.key)) {
        const row = siblings(current).find((one) => one.run === current.run && one.attempt === +event.key);
        if (row) open(row);
      } else return;
      event.preventDefault();
    } else if (event.key === "/") { $("#search").focus(); event.preventDefault(); }
  });
  addEventListener("hashchange", fromHash);
  fromHash();
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => document.querySelector("main").prepend(h("p", { class: "note" }, `The table cannot be shown: ${error}. A current browser is needed.`)));
