/**
 * Selects the text of a field that is about to get the focus, as Tab does: typing replaces it. A text of several lines
 * is continued at its end.
 */
export function selectText(element: HTMLElement | null | undefined): void {
  if (element instanceof HTMLTextAreaElement) element.selectionStart = element.value.length
  // In Firefox, `select()` would focus it, which may scroll the page. Only a field of text has a selection.
  else if (element instanceof HTMLInputElement && element.selectionStart !== null)
    element.setSelectionRange(0, element.value.length)
}
