import type { CardOnPage, Plan } from './plan.ts'
import { planOf } from './plan.ts'

/** A loaded card; its size comes from the page. */
type Loaded = Omit<CardOnPage, 'width' | 'plot'>

/** A picture of the cards as on the page, in its colours. */
export async function pictureOf(cards: readonly Loaded[], title: string, zone: string): Promise<Blob> {
  const canvas = document.createElement('canvas')
  const draw = canvas.getContext('2d')!
  const measure = (text: string, font: string) => {
    draw.font = familyOf(font)
    return draw.measureText(text).width
  }
  const shown = cards.flatMap((card): CardOnPage[] => {
    const element = elementOf(card.chart.id)
    return element ? [{ ...card, width: element.clientWidth, plot: element.querySelector('canvas') ?? undefined }] : []
  })
  const plan = planOf(shown, title, zone, measure)
  Object.assign(canvas, { width: plan.width, height: plan.height })
  paint(draw, plan)
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be created'))),
      'image/png',
    ),
  )
}

const elementOf = (card: string) => document.querySelector<HTMLElement>(`[data-card="${card}"]`)
const familyOf = (font: string) => `${font} "Inter Variable", sans-serif`
const colourOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name)

function paint(draw: CanvasRenderingContext2D, { width, height, shapes }: Plan): void {
  draw.fillStyle = colourOf('--surface')
  draw.fillRect(0, 0, width, height)
  for (const shape of shapes) {
    const { x, y } = shape
    if (shape.kind === 'plot') {
      const lines = elementOf(shape.card)?.querySelector('canvas')
      if (lines) draw.drawImage(lines, x, y, shape.width, shape.height)
      continue
    }
    draw.fillStyle = colourOf(shape.colour)
    if (shape.kind === 'box') {
      draw.fillRect(x, y, shape.width, shape.height)
      continue
    }
    draw.font = familyOf(shape.font)
    draw.fillText(shape.text, x, y, shape.most)
  }
}
