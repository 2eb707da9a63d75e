/**
 * Selects the text of a field that is about to get the focus, as Tab does: typing replaces it. A text of several lines
 * is continued at its end.
 */
export function selectText(element: HTMLElement | null | undefined): void {
  if (element instanceof HTMLInputElement) element.select()
  else if (element instanceof HTMLTextAreaElement) element.selectionStart = element.value.length
}
