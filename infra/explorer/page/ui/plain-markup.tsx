import { createElement, Fragment, type ReactNode } from 'react'

interface HtmlPolicy {
  readonly createHTML: (text: string) => string
}

declare const trustedTypes: { readonly createPolicy: (name: string, rules: HtmlPolicy) => HtmlPolicy } | undefined

/** Only ever read into a document that runs and loads nothing. */
const policy: HtmlPolicy =
  typeof trustedTypes === 'undefined'
    ? { createHTML: (text) => text }
    : trustedTypes.createPolicy('explorer', { createHTML: (text) => text })

const known = new Set([
  'b',
  'strong',
  'i',
  'em',
  'u',
  's',
  'small',
  'sub',
  'sup',
  'code',
  'br',
  'ul',
  'ol',
  'li',
  'p',
  'span',
])

/**
 * Markup of a cell by its elements alone: no attribute survives, and of an element that is not plain only its text
 * does.
 */
export function plainMarkup(html: string): ReactNode {
  const { body } = new DOMParser().parseFromString(policy.createHTML(html), 'text/html')
  return renderChildren(body)
}

const silent = new Set(['script', 'style', 'template', 'noscript'])

function renderChildren(parent: Node): ReactNode {
  return [...parent.childNodes].map((node, at) => {
    if (node.nodeType === Node.TEXT_NODE) return node.textContent
    const name = node.nodeName.toLowerCase()
    if (node.nodeType !== Node.ELEMENT_NODE || silent.has(name)) return null
    if (name === 'br') return createElement('br', { key: at })
    return createElement(known.has(name) ? name : Fragment, { key: at }, renderChildren(node))
  })
}
