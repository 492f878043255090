import { createElement, Fragment } from 'react'
import type { ReactNode } from 'react'
import MarkdownIt from 'markdown-it'
import { longestTips } from '@caretaker/rules/residents/residents.ts'

/** Plain Markdown: HTML in it is text, and what is nested deeper than a reader follows is left as it is. */
const parser = new MarkdownIt('commonmark', { html: false, maxNesting: 20 })
// No picture from elsewhere learns who reads.
parser.disable('image')

/** What a resident may follow: everything else is shown as it is written. */
parser.validateLink = (address) => /^(https?:|mailto:|tel:)/i.test(address.trim())

type Token = ReturnType<typeof parser.parse>[number]

/** Elements without content. */
const empty = new Set(['br', 'hr'])

/**
 * Markdown as elements of the page: no HTML is written, so that nothing in it can run. Of more than may be written the beginning is shown:
 * to read a megabyte of lists takes minutes.
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
  // As lists and never as arguments, of which a call takes only so many.
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
