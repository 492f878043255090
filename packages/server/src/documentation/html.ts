const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (character) => entities[character]!)

/** Text with \`code\` between backticks. */
export const prose = (text: string) => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

/** A code block with a copy button. */
export const block = (name: string, code: string, id?: string) =>
  `<figure class="code"${id ? ` id="${id}"` : ''}><figcaption>${escaped(name)}</figcaption><pre tabindex="0" aria-label="${escaped(name)}"><code>${escaped(code)}</code></pre></figure>`
