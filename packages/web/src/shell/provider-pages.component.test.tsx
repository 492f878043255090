import axe from 'axe-core'
import { afterEach, expect, test } from 'vitest'
import { commands } from 'vitest/browser'

declare module 'vitest/browser' {
  interface BrowserCommands {
    /** The pages of the embedded identity provider by name, as the server sends them. */
    providerPages(): Promise<Record<string, string>>
  }
}

const criteria = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
let frame: HTMLIFrameElement | undefined
afterEach(() => frame?.remove())

/** Violations of WCAG 2.2, levels A and AA, on a whole page of the provider. */
async function violationsOf(html: string, scheme: 'light' | 'dark'): Promise<string[]> {
  frame?.remove()
  frame = document.createElement('iframe')
  frame.title = 'Page of the provider'
  frame.width = '320'
  frame.height = '900'
  frame.srcdoc = html.replace('</head>', `<style>:root { color-scheme: ${scheme} }</style></head>`)
  const loaded = new Promise((resolve) => frame!.addEventListener('load', resolve, { once: true }))
  document.body.append(frame)
  await loaded
  const inside = frame.contentWindow as unknown as Window & { eval(code: string): void; axe: typeof axe }
  inside.eval(axe.source)
  const { violations } = await inside.axe.run(inside.document, {
    runOnly: { type: 'tag', values: criteria },
    resultTypes: ['violations'],
  })
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${scheme}: ${id} ${target.join(' ')}`))
}

test('the pages of the embedded identity provider are accessible in both colour schemes and fit 320 pixels', async () => {
  const pages = Object.entries(await commands.providerPages())
  expect(pages.length).toBeGreaterThan(5)
  for (const [name, html] of pages) {
    const found = [...(await violationsOf(html, 'light')), ...(await violationsOf(html, 'dark'))]
    expect(found, name).toEqual([])
    const { scrollWidth, clientWidth } = frame!.contentDocument!.documentElement
    expect(scrollWidth, name).toBeLessThanOrEqual(clientWidth)
  }
})
