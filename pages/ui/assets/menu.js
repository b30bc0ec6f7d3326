// On a narrow screen the buttons of a page are in a menu; elsewhere the style shows the
// buttons and hides the menu.
export default function ({ parentElement }) {
  const button = parentElement.querySelector("button");
  const place = document.querySelector(".st-key-actions");
  const turn = (open) => {
    place.toggleAttribute("data-open", open);
    button.setAttribute("aria-expanded", open);
  };
  // A popover of a button in the menu is outside the menu.
  const leave = ({ target }) => {
    if (!target.closest(".st-key-actions, [data-testid=stPopoverBody]")) turn(false);
  };
  const escape = ({ key }) => {
    if (key !== "Escape" || !place.hasAttribute("data-open")) return;
    turn(false);
    button.focus();
  };
  button.onclick = () => turn(!place.hasAttribute("data-open"));
  button.disabled = false;
  document.addEventListener("pointerdown", leave);
  document.addEventListener("keydown", escape);
  return () => {
    document.removeEventListener("pointerdown", leave);
    document.removeEventListener("keydown", escape);
  };
}
