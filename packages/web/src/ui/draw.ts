import type { CSSProperties, ReactElement, ReactNode } from 'react'

type Attribute = string | number | boolean | null | undefined | EventListener
type Props = Record<string, Attribute> & { children?: ReactNode; style?: CSSProperties }

const svgNamespace = 'http://www.w3.org/2000/svg'
/** SVG attributes that React writes differently and that have no upper-case letters in SVG. */
const hyphenated = /^(stroke|stop|fill|clip)[A-Z]/

/**
 * Draws elements without React, for the pages before the application: components without hooks, refs or context.
 * Nothing is updated; a changed page is drawn again.
 */
export function drawn(node: ReactNode, isSvg = false): Node[] {
  if (node === null || node === undefined || typeof node === 'boolean') return []
  if (Array.isArray(node)) return node.flatMap((one: ReactNode) => drawn(one, isSvg))
  if (typeof node !== 'object') return [document.createTextNode(String(node))]
  const { type, props } = node as ReactElement<Props>
  if (typeof type === 'function') return drawn((type as (props: Props) => ReactNode)(props), isSvg)
  if (typeof type !== 'string') return drawn(props.children, isSvg)
  const inSvg = isSvg || type === 'svg'
  const element = inSvg ? document.createElementNS(svgNamespace, type) : document.createElement(type)
  const { children, style, ...attributes } = props
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value)
  if (style) Object.assign((element as HTMLElement).style, style)
  element.append(...drawn(children, inSvg))
  return [element]
}

function setAttribute(element: Element, name: string, value: Attribute): void {
  if (value === undefined || value === null) return
  if (typeof value === 'function') element.addEventListener(name.slice(2).toLowerCase(), value)
  else if (typeof value === 'boolean' && !/^(aria|data)-/.test(name)) element.toggleAttribute(name, value)
  else element.setAttribute(attributeName(name), String(value))
}

const attributeName = (name: string) =>
  name === 'className'
    ? 'class'
    : hyphenated.test(name)
      ? name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)
      : name
