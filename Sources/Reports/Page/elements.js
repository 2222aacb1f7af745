'use strict';

// Elements and figures. Every text goes through textContent: nothing of the data becomes markup.

// Controls, line and paragraph separators, and marks of direction, as the terminal has them escaped.
const unprintable = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g;

/** A text of the data that turns no other text around. */
function plain(text) {
  return String(text).replace(unprintable,
    (mark) => `\\u{${mark.charCodeAt(0).toString(16).toUpperCase()}}`);
}

/** An element with attributes, listeners (functions) and children (elements or texts). */
function make(name, attributes = {}, ...children) {
  return furnish(document.createElement(name), attributes, children);
}

/** The same within a drawing. */
function makeVector(name, attributes = {}, ...children) {
  return furnish(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? '' : plain(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined)
    .map((child) => child instanceof Node ? child : plain(child)));
  return element;
}

/** A list of terms and their figures; those without a value are left out. */
function figures(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return make('dl', {class: 'figures'},
    known.map(([term, value]) => make('div', {}, make('dt', {}, term), make('dd', {}, String(value)))));
}

/** A table with a name for those who do not see it; it scrolls by itself. */
function table(label, heads, rows) {
  return scrolling(label,
    make('table', {},
      make('thead', {}, make('tr', {}, heads.map((head) => make('th', {scope: 'col'}, head)))),
      make('tbody', {}, rows.map((row) => make('tr', {}, row.map((cell) => make('td', {}, cell ?? '')))))));
}

/** What may be wider than the page: it scrolls by itself, also by keys. */
function scrolling(label, child) {
  return make('div', {class: 'scrolls', tabindex: '0', role: 'group', 'aria-label': label}, child);
}

/** A part that is made when it is opened for the first time. */
function folded(title, fill, attributes = {}) {
  const inner = make('div', {class: 'inner'});
  const details = make('details', attributes, make('summary', {}, title), inner);
  details.addEventListener('toggle', () => {
    if (details.open && !inner.hasChildNodes()) inner.append(...[fill()].flat().filter(Boolean));
  });
  return details;
}

/** 1:02:03.5 */
function clock(seconds, decimals = 0) {
  const unit = 10 ** decimals;
  const units = Math.round(seconds * unit);
  const whole = Math.floor(units / unit);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const two = (number) => String(number).padStart(2, '0');
  const fraction = decimals ? '.' + String(units % unit).padStart(decimals, '0') : '';
  return (hours ? `${hours}:${two(minutes)}` : minutes) + ':' + two(whole % 60) + fraction;
}

/** 12.3 s, 4:05 */
function lasting(seconds) {
  return seconds < 60 ? `${seconds.toFixed(seconds < 10 ? 2 : 1)} s` : clock(seconds);
}

/** 1.5 MB */
function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const power = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${['', 'kB', 'MB', 'GB', 'TB'][power]}`;
}

/** −16.0 LUFS; minus signs as in print. Null stands for −∞. */
function decibels(value, unit, decimals = 1) {
  if (value === undefined) return null;
  return `${value === null ? '\u2212\u221e' : value.toFixed(decimals).replace('-', '\u2212')} ${unit}`;
}

function bytes(text) {
  const binary = atob(text);
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function words(status) {
  return status.replaceAll('_', ' ');
}
