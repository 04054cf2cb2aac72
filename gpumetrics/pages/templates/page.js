// Everything here is extra: without it the page is complete, only its tables do not sort.
"use strict";
(() => {
  const root = document.documentElement;
  const status = document.getElementById("page-status");
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  function say(words) {
    status.textContent = "";
    requestAnimationFrame(() => { status.textContent = words; }); // said again, even if the words are the same
  }

  function buttonIn(cell, name) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = name;
    button.append(...cell.childNodes);
    cell.append(button);
    return button;
  }

  // ---- Tables that sort: up, down, as they were -------------------------------------------------------------------
  const words = new Intl.Collator(root.lang, { numeric: true });
  const [NUMBER, TEXT, MISSING] = [0, 1, 2];

  function keyOf(cell) {
    const text = cell.textContent.trim();
    if (cell.dataset.sort !== undefined) {
      const number = Number(cell.dataset.sort);
      return Number.isNaN(number) ? { rank: MISSING } : { rank: NUMBER, number };
    }
    return text ? { rank: TEXT, text } : { rank: MISSING };
  }

  function compare(a, b, sign) {
    if (a.rank === MISSING || b.rank === MISSING) return a.rank - b.rank === 0 ? 0 : a.rank === MISSING ? 1 : -1;
    if (a.rank !== b.rank) return sign * (a.rank - b.rank);
    if (a.rank === TEXT) return sign * words.compare(a.text, b.text);
    return a.number === b.number ? 0 : a.number < b.number ? -sign : sign; // two infinities are equal
  }

  function sorted(rows, at, sign) {
    const keyed = rows.map((row) => [keyOf(row.cells[at]), row]);
    return keyed.sort((a, b) => compare(a[0], b[0], sign)).map(([, row]) => row);
  }

  function makeSortable(table) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    if (rows.length < 2) return;
    heads.forEach((head, at) => {
      buttonIn(head, "sort").addEventListener("click", () => {
        const next = { ascending: "descending", descending: "" }[head.getAttribute("aria-sort")] ?? "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        if (next) head.setAttribute("aria-sort", next);
        body.append(...(next ? sorted(rows, at, next === "ascending" ? 1 : -1) : rows));
      });
    });
  }

  // ---- A cluster that is picked in a table, or a plot, stands out everywhere --------------------------------------
  const bar = document.getElementById("page-picked");
  const nameOf = new Map(); // by mark
  const plots = all("figure svg").map((svg) => {
    const drawings = all("[id*='--']", svg).map((drawing) => [drawing.id.split("--").pop(), drawing]);
    return { figure: svg.closest("figure"), svg, drawings, marks: new Set(drawings.map(([mark]) => mark)) };
  });
  let picked = "";

  function pick(mark) {
    const cleared = picked && !mark;
    picked = mark;
    for (const plot of plots) {
      const concerned = plot.marks.has(mark);
      for (const [own, drawing] of plot.drawings) {
        drawing.classList.toggle("faded", concerned && own !== mark);
        drawing.classList.toggle("stands-out", concerned && own === mark);
      }
    }
    for (const place of all("[data-mark]")) {
      const own = place.dataset.mark === mark;
      place.classList.toggle("is-picked", own);
      place.querySelector("button.pick")?.setAttribute("aria-pressed", own);
    }
    showBar(mark);
    if (mark) say(bar.firstElementChild.textContent);
    else if (cleared) say(status.dataset.cleared);
  }

  function showBar(mark) {
    const plot = plots.find(({ marks }) => marks.has(mark));
    const [text, link] = bar.children;
    bar.hidden = !mark;
    text.textContent = status.dataset.picked.replace("NAME", () => nameOf.get(mark)?.name ?? mark);
    link.hidden = !plot;
    if (plot) link.setAttribute("href", `#${plot.figure.id}`);
  }

  function makePickable(row) {
    const { mark } = row.dataset;
    const button = buttonIn(row.cells[0], "pick");
    button.setAttribute("aria-pressed", "false");
    // A name rather than a number, such as that of a row of the cluster, where some table has one.
    const own = { name: button.textContent.trim(), isNumber: row.cells[0].dataset.sort !== undefined };
    if (!nameOf.has(mark) || (nameOf.get(mark).isNumber && !own.isNumber)) nameOf.set(mark, own);
    row.addEventListener("click", () => {
      if (getSelection().isCollapsed) pick(picked === mark ? "" : mark); // who selects text does not mean to pick
    });
  }

  function pickInPlot(event) {
    const mark = event.target.closest("[id*='--']")?.id.split("--").pop() ?? "";
    if (mark) pick(picked === mark ? "" : mark);
  }

  // ---- Tables and code to the clipboard ---------------------------------------------------------------------------
  const PLAIN_NUMBER = /^[-+]?(\d[\d,]*\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

  function csvField(cell) {
    let text = cell.textContent.replace(/[\u2066-\u2069]/g, "").trim(); // without what isolates a direction
    if (PLAIN_NUMBER.test(text)) {
      text = cell.dataset.sort ?? text; // in full, without commas
    } else if (/^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) && text !== "-") {
      text = `'${text}`; // a spreadsheet would run it as a formula
    }
    return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  const csvOf = (table) => [...table.rows].map((row) => [...row.cells].map(csvField).join(",") + "\r\n").join("");

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copyByHand(text); // no permission, or no clipboard for a file
    }
  }

  function copyByHand(text) {
    const area = document.createElement("textarea");
    const before = document.activeElement;
    area.className = "unseen";
    area.value = text;
    document.body.append(area);
    area.select();
    try {
      return document.execCommand("copy");
    } catch {
      return false;
    } finally {
      area.remove();
      before?.focus();
    }
  }

  function makeCopyable(button) {
    const table = button.closest(".table")?.querySelector("table");
    const code = button.closest(".code")?.querySelector("code");
    const words = button.textContent;
    let timer;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copy(table ? csvOf(table) : code.textContent);
      button.textContent = done ? status.dataset.copied : status.dataset.failed;
      say(button.textContent);
      clearTimeout(timer);
      timer = setTimeout(() => { button.textContent = words; }, 2000);
    });
  }

  // ---- Light and dark; the choice ends with the page --------------------------------------------------------------
  function makeTheme(button) {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
    const show = () => button.setAttribute("aria-pressed", isDark());
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      show();
    });
    system.addEventListener("change", show);
    show();
  }

  // ---- The section that is read, in the contents; folds open on paper ---------------------------------------------
  function followReading() {
    const links = new Map(all("nav a").map((link) => [link.hash.slice(1), link]));
    const watch = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) links.get(target.id)?.setAttribute("aria-current", "location");
        else links.get(target.id)?.removeAttribute("aria-current");
      }
    }, { rootMargin: "-15% 0px -84% 0px" });
    all("main > section").forEach((section) => watch.observe(section));
  }

  function openOnPaper() {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = all("details:not([open])");
      opened.forEach((fold) => { fold.open = true; });
    });
    addEventListener("afterprint", () => opened.forEach((fold) => { fold.open = false; }));
  }

  all("tr[data-mark]").forEach(makePickable);
  all("table").forEach(makeSortable);
  all("button.copy").forEach(makeCopyable);
  for (const { svg } of plots) svg.addEventListener("click", pickInPlot);
  bar.querySelector("button").addEventListener("click", () => pick(""));
  addEventListener("keydown", (event) => { if (event.key === "Escape") pick(""); });
  makeTheme(document.getElementById("page-theme"));
  followReading();
  openOnPaper();
})();
