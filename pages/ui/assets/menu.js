// On a narrow screen the buttons of a page are in a menu; elsewhere the style shows them
// and not this one.
export default function ({ parentElement }) {
  const button = parentElement.querySelector("button");
  const place = document.querySelector(".st-key-actions");
  const turn = (open) => {
    place.toggleAttribute("data-open", open);
    button.setAttribute("aria-expanded", open);
  };
  // What a button of the menu opens is outside of it.
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
