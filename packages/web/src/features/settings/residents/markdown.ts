import { createElement, Fragment } from 'react'
import type { ReactNode } from 'react'
import MarkdownIt from 'markdown-it'
import { longestTips } from '@caretaker/rules/residents/residents.ts'

/** CommonMark without HTML; nesting is limited. */
const parser = new MarkdownIt('commonmark', { html: false, maxNesting: 20 })
// Images are disabled, so that no external server learns who reads.
parser.disable('image')

/** The allowed link types; others are shown as text. */
parser.validateLink = (address) => /^(https?:|mailto:|tel:)/i.test(address.trim())

type Token = ReturnType<typeof parser.parse>[number]

/** Elements without content. */
const empty = new Set(['br', 'hr'])

/**
 * Markdown as React elements: no HTML is written, so that scripts cannot run. Text beyond the limit is cut off, because
 * parsing a megabyte of lists takes minutes.
 */
export function Markdown({ text }: { text: string }) {
  return elements(parser.parse(text.slice(0, longestTips), {}))
}

function elements(tokens: readonly Token[]): ReactNode {
  const open: { tag: string; props: Record<string, string>; children: ReactNode[] }[] = [
    { tag: '', props: {}, children: [] },
  ]
  tokens.forEach((token, key) => {
    const parent = open.at(-1)!
    if (token.nesting === 1) open.push({ tag: token.hidden ? '' : token.tag, props: propsOf(token), children: [] })
    else if (token.nesting === -1) {
      const { tag, props, children } = open.pop()!
      open.at(-1)!.children.push(createElement(tag || Fragment, { key, ...props }, children))
    } else parent.children.push(leaf(token, key))
  })
  // As an array, not as arguments, whose number is limited.
  return createElement(Fragment, {}, open[0]!.children)
}

function leaf(token: Token, key: number): ReactNode {
  if (token.type === 'inline') return createElement(Fragment, { key }, elements(token.children ?? []))
  if (token.type === 'softbreak') return ' '
  if (token.type === 'hardbreak') return createElement('br', { key })
  if (token.type === 'fence' || token.type === 'code_block')
    return createElement('pre', { key }, createElement('code', {}, token.content))
  if (empty.has(token.tag)) return createElement(token.tag, { key })
  return token.tag ? createElement(token.tag, { key }, token.content) : token.content
}

function propsOf(token: Token): Record<string, string> {
  const href = token.tag === 'a' ? token.attrGet('href') : undefined
  return href ? { href: String(href), target: '_blank', rel: 'noopener noreferrer nofollow' } : {}
}
