/** A piece of an e-mail text; `href` for a link. */
export interface Piece {
  text: string
  href?: string
}

/** The text of an e-mail in pieces, with its web addresses as links. */
export function piecesOf(text: string): Piece[] {
  return text.split(/(https?:\/\/[^\s<>"']+)/).flatMap((part, index): Piece[] => {
    if (part === '') return []
    if (index % 2 === 0) return [{ text: part }]
    const [, address = part, rest = ''] = /^(.*?)([.,;:!?)]*)$/.exec(part) ?? []
    return [{ text: address, href: address }, ...(rest ? [{ text: rest }] : [])]
  })
}
