/** A piece of a mail's text; `href` for one that is an address. */
export interface Piece {
  text: string
  href?: string
}

/** The text of a mail in pieces, so that its addresses can be pressed. Only addresses of the web count. */
export function piecesOf(text: string): Piece[] {
  return text.split(/(https?:\/\/[^\s<>"']+)/).flatMap((part, index): Piece[] => {
    if (part === '') return []
    if (index % 2 === 0) return [{ text: part }]
    const [, address = part, rest = ''] = /^(.*?)([.,;:!?)]*)$/.exec(part) ?? []
    return [{ text: address, href: address }, ...(rest ? [{ text: rest }] : [])]
  })
}
