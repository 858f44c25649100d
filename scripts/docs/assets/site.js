// Search, the theme, and the menu of narrow screens.
const root = document.body.dataset.root;
const input = document.querySelector(".search input");
const list = document.querySelector(".search ol");
const RESULTS = 12;
const BEFORE = 60;
const AFTER = 120;

let search = null;
function index() {
  search ??= MiniSearch.loadJSON(window.searchIndex, {
    fields: ["title", "page", "text"],
    storeFields: ["title", "page", "text"],
  });
  return search;
}

function excerpt(text, terms) {
  const places = terms.map((term) => text.toLowerCase().indexOf(term)).filter((place) => place >= 0);
  const from = Math.max(0, Math.min(...places, text.length) - BEFORE);
  const start = places.length === 0 ? 0 : from;
  return `${start > 0 ? "…" : ""}${text.slice(start, start + BEFORE + AFTER).trim()}…`;
}

function resultItem({ id, title, page, text, terms }) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = root + id;
  const name = document.createElement("b");
  name.textContent = title === page ? title : `${page} › ${title}`;
  const words = document.createElement("span");
  words.textContent = excerpt(text, terms);
  link.append(name, words);
  item.append(link);
  return item;
}

function show() {
  const query = input.value.trim();
  const options = { prefix: true, fuzzy: 0.15, boost: { title: 4, page: 2 }, combineWith: "AND" };
  const results = query === "" ? [] : index().search(query, options).slice(0, RESULTS);
  list.replaceChildren(...results.map(resultItem));
  if (query !== "" && results.length === 0) {
    const none = document.createElement("li");
    none.textContent = "No page contains these words.";
    list.append(none);
  }
  list.hidden = query === "";
}

input.addEventListener("input", show);
input.addEventListener("focus", show);
document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) list.hidden = true;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === "Escape") {
    list.hidden = true;
    input.blur();
  }
  if (event.key === "Enter" && document.activeElement === input) list.querySelector("a")?.click();
});

document.querySelector(".theme").addEventListener("click", () => {
  const { dataset } = document.documentElement;
  const dark = dataset.theme === "" ? matchMedia("(prefers-color-scheme: dark)").matches : dataset.theme === "dark";
  dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", dataset.theme);
});

const menu = document.querySelector(".menu");
menu.addEventListener("click", () => {
  const open = document.body.classList.toggle("menu-open");
  menu.setAttribute("aria-expanded", String(open));
});

// Shows the current page in the list of pages. scrollIntoView would scroll the document as well.
const pages = document.querySelector(".pages");
const current = pages.querySelector('[aria-current="page"]');
if (current !== null) {
  const above = current.getBoundingClientRect().top - pages.getBoundingClientRect().top;
  pages.scrollTop += above - pages.clientHeight / 2;
}

// A page that was opened from a search (?q=…) shows the results at once.
const asked = new URLSearchParams(location.search).get("q");
if (asked !== null) {
  input.value = asked;
  show();
}
