import { useEffect } from 'react'

/** Lets F6 lead to the latest message, and from there back to where the focus was. */
export function useMessageKey(): void {
  useEffect(() => {
    let before: Element | null = null
    const press = (event: KeyboardEvent) => {
      const messages = document.querySelectorAll<HTMLElement>('.message')
      if (event.key !== 'F6' || messages.length === 0) return
      event.preventDefault()
      const active = document.activeElement
      const isInside = active?.closest('.message') != null
      if (!isInside) before = active
      const back = before?.isConnected && before !== document.body ? before : document.getElementById('rows')
      const next = isInside ? back : messages[messages.length - 1]?.querySelector('a, button')
      if (next instanceof HTMLElement) next.focus()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
