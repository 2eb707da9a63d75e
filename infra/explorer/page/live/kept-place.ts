import type { Id } from '../service/wire.ts'

/** The rows on the screen by their ids. */
export type ShownRows = ReadonlyMap<Id, HTMLTableRowElement>

const readTop = (row: Element): number => row.getBoundingClientRect().top

/** The place of each row on the screen. */
export const readTops = (rows: ShownRows): ReadonlyMap<Id, number> =>
  new Map([...rows].map(([id, row]) => [id, readTop(row)]))

/**
 * Remembers the focus, the marked text and the row at which the user looks. The returned function puts them back when
 * the rows are drawn: browsers without `moveBefore` take the focus from rows that move.
 */
export function keepPlace(frame: HTMLElement, rows: ShownRows, moved: ReadonlySet<Id>): () => void {
  const focused = document.activeElement
  const hadFocus = focused instanceof HTMLElement && frame.contains(focused)
  const restoreText = keepMarkedText(frame)
  const anchor = frame.scrollTop > 0 ? findAnchor(frame, rows, moved) : undefined
  const { scrollTop } = frame
  const top = anchor && readTop(anchor)
  return () => {
    if (hadFocus && focused.isConnected && document.activeElement !== focused) focused.focus({ preventScroll: true })
    restoreText()
    frame.scrollTop = scrollTop
    if (anchor?.isConnected === true && top !== undefined) frame.scrollTop += readTop(anchor) - top
  }
}

/** The row that stays where it is: that of the focus, or the first one that can be seen whole. */
function findAnchor(frame: HTMLElement, rows: ShownRows, moved: ReadonlySet<Id>): HTMLTableRowElement | undefined {
  const head = frame.querySelector('thead')?.getBoundingClientRect().bottom ?? 0
  const end = frame.getBoundingClientRect().bottom
  const seen = [...rows]
    .filter(([id, row]) => !moved.has(id) && readTop(row) >= head - 1 && readTop(row) < end)
    .map(([, row]) => row)
  return seen.find((row) => row.contains(document.activeElement)) ?? seen[0]
}

function keepMarkedText(frame: HTMLElement): () => void {
  const marked = getSelection()
  const { anchorNode, anchorOffset = 0, focusNode, focusOffset = 0, isCollapsed = true } = marked ?? {}
  if (isCollapsed || !anchorNode || !focusNode || !frame.contains(anchorNode)) return () => undefined
  const clamp = (node: Node, offset: number) => Math.min(offset, node.nodeValue?.length ?? node.childNodes.length)
  return () => {
    if (!anchorNode.isConnected || !focusNode.isConnected) return
    marked?.setBaseAndExtent(anchorNode, clamp(anchorNode, anchorOffset), focusNode, clamp(focusNode, focusOffset))
  }
}
