// SPDX-License-Identifier: Apache-2.0
// What extensions import from pi's terminal library: nothing is drawn here, so inert classes do.
const ESCAPES = /\u001b\[[0-9;]*[A-Za-z]/g;

export class Component {
  constructor(...args) {
    this.arguments = args;
    this.children = [];
  }
  addChild(child) {
    this.children.push(child);
  }
  removeChild(child) {
    this.children = this.children.filter((one) => one !== child);
  }
  clear() {
    this.children = [];
  }
  invalidate() {}
  handleInput() {}
  render() {
    return [];
  }
}

const visibleWidth = (text) => [...text.replace(ESCAPES, "")].length;

function truncateToWidth(text, width, ellipsis = "...") {
  if (visibleWidth(text) <= width) return text;
  const room = Math.max(width - visibleWidth(ellipsis), 0);
  return [...text.replace(ESCAPES, "")].slice(0, room).join("") + ellipsis;
}

const names = ["Text", "Container", "Box", "Spacer", "Markdown", "Input", "Editor", "SelectList"];
const classes = {};
for (const name of names) classes[name] = { [name]: class extends Component {} }[name];

export const piTui = {
  ...classes,
  matchesKey: () => false,
  Key: new Proxy({}, { get: (_target, name) => String(name) }),
  visibleWidth,
  truncateToWidth,
};
