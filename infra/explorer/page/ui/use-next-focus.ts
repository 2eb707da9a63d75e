import { useEffect } from 'react'
import { focusable } from './focusable.ts'

/**
 * The place of an element when it got the focus: its parents from inside out, each with the index of the child that led
 * to it.
 */
interface Place {
  readonly element: Element
  readonly parents: readonly (readonly [parent: Element, index: number])[]
}

const layers = '.popup, .modal, .messages'

/** Moves the focus to what comes next when the control that has it is removed: else it would be nowhere. */
export function useNextFocus(): void {
  useEffect(() => {
    let latest: Place | undefined
    /** The latest place outside of popups, dialogs and messages, to which they give the focus back. */
    let below: Place | undefined
    const remember = ({ target }: FocusEvent) => {
      if (!(target instanceof Element) || target.matches('[data-base-ui-focus-guard]')) return
      // A popup takes the focus of its removed control itself: it belongs to a control beside that one.
      if (isLeftBy(latest, target)) return
      latest = readPlace(target)
      if (target.closest(layers) === null) below = latest
    }
    // Focus that leaves a control which stays was put nowhere by the user, for example by a click beside it.
    const forget = ({ target, relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null || !(target instanceof Element)) return
      queueMicrotask(() => {
        if (target === latest?.element && target.isConnected) latest = undefined
      })
    }
    const restore = () => {
      if (latest === undefined || !isLeftBy(latest, document.activeElement)) return
      const next = findNext(latest) ?? (below && findNext(below)) ?? document.getElementById('rows')
      latest = undefined
      next?.focus()
    }
    const observer = new MutationObserver(() => {
      // Popups and dialogs that close give the focus back by themselves, one frame later at most.
      if (latest?.element.isConnected === false) requestAnimationFrame(() => setTimeout(restore))
    })
    observer.observe(document.body, { childList: true, subtree: true })
    addEventListener('focusin', remember)
    addEventListener('focusout', forget)
    return () => {
      observer.disconnect()
      removeEventListener('focusin', remember)
      removeEventListener('focusout', forget)
    }
  }, [])
}

/** Whether an element has the focus only because a control in it has been removed. */
const isLeftBy = (place: Place | undefined, element: Element | null): boolean =>
  place?.element.isConnected === false &&
  element?.matches(`body, ${layers}`) !== false &&
  (element === null || place.parents.some(([parent]) => parent === element))

function readPlace(element: Element): Place {
  const parents: [Element, number][] = []
  let child = element
  for (let parent = child.parentElement; parent !== null; parent = child.parentElement) {
    parents.push([parent, [...parent.children].indexOf(child)])
    child = parent
  }
  return { element, parents }
}

/**
 * Finds what stands at a place now, or else nearest to it. Content of the table's frame is followed by the frame
 * itself.
 */
function findNext({ element, parents }: Place): HTMLElement | null {
  if (element.isConnected) return element as HTMLElement
  for (const [parent, index] of parents) {
    if (!parent.isConnected) continue
    if (parent.matches('body, .main, #rows')) return parent === document.body ? null : document.getElementById('rows')
    const siblings = [...parent.children]
    for (const sibling of [...siblings.slice(index), ...siblings.slice(0, index).reverse()]) {
      const controls = [sibling, ...sibling.querySelectorAll<HTMLElement>('*')].filter(isFocusable)
      const same = controls.find(
        ({ tagName, className }) => tagName === element.tagName && className === element.className,
      )
      const next = same ?? controls[0]
      if (next !== undefined) return next
    }
  }
  return null
}

/** Leaves out the way to the rows: where there are none, it leads nowhere, and would cover the choice of a table. */
const isFocusable = (element: Element): element is HTMLElement =>
  element.matches(`${focusable}:not(.skip)`) && element.checkVisibility()
