import type { Chart } from '@caretaker/contract/telemetry.ts'
import { figure } from '../ui/chart/readings.ts'

const width = 1200
const margin = 24
const lineHeight = 22

/** One card of the picture: how high it is, and how it is drawn from its upper left corner. */
interface Part {
  height: number
  draw(canvas: CanvasRenderingContext2D): void
}

/** A picture of charts as they stand on the page, one below the other, in the colours of the page. */
export async function pictureOf(charts: readonly Chart[], title: string): Promise<Blob> {
  const parts = charts.flatMap((chart) => {
    const card = document.querySelector<HTMLElement>(`[data-card="${chart.id}"]`)
    return card ? [partOf(chart, card)] : []
  })
  const height = parts.reduce((sum, part) => sum + part.height + margin, 3 * margin)
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const draw = canvas.getContext('2d')!
  draw.fillStyle = colour('--surface')
  draw.fillRect(0, 0, width, height)
  text(draw, title, margin, 2 * margin, '600 18px')
  draw.translate(0, 3 * margin)
  for (const part of parts) {
    part.draw(draw)
    draw.translate(0, part.height + margin)
  }
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture could be made'))), 'image/png'),
  )
}

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name)

function text(draw: CanvasRenderingContext2D, words: string, x: number, y: number, font = '13px'): void {
  draw.font = `${font} "Inter Variable", sans-serif`
  draw.fillStyle = colour('--text')
  draw.fillText(words, x, y, width - x - margin)
}

function partOf(chart: Chart, card: HTMLElement): Part {
  const plot = card.querySelector('canvas')
  if (plot) return linesOf(chart, plot)
  return wordsOf([chart.title, ...wordsIn(chart)])
}

function linesOf({ title, dataSeries, color }: Chart, plot: HTMLCanvasElement): Part {
  const scale = (width - 2 * margin) / plot.width
  const first = Number(/\d$/.exec(color ?? '')?.[0] ?? 1)
  return {
    height: plot.height * scale + lineHeight,
    draw: (draw) => {
      text(draw, title, margin, 14, '600 14px')
      let x = margin + draw.measureText(title).width + margin
      for (const [index, { label }] of dataSeries.entries()) {
        draw.fillStyle = colour(`--series-${((first - 1 + index) % 6) + 1}`)
        draw.fillRect(x, 8, 12, 3)
        text(draw, label, x + 18, 14)
        x += 18 + draw.measureText(label).width + margin
      }
      draw.drawImage(plot, margin, lineHeight, plot.width * scale, plot.height * scale)
    },
  }
}

/** Figures and events in words. */
function wordsIn({ dataSeries, eventSeries, units }: Chart): string[] {
  const value = dataSeries[0]?.series.at(-1)?.value
  if (value !== undefined && value !== null) return [`${figure(value)}${units === 'count' ? '' : ` ${units}`}`]
  return eventSeries
    .slice(0, 40)
    .map(
      (event) =>
        `${new Date(event.start).toLocaleString('en-GB')} – ${event.end === null ? 'still active' : new Date(event.end).toLocaleString('en-GB')}   ${event.severity}   ${event.category}: ${event.description}`,
    )
}

function wordsOf([title = '', ...lines]: string[]): Part {
  return {
    height: (lines.length + 1) * lineHeight,
    draw: (draw) => {
      text(draw, title, margin, 14, '600 14px')
      for (const [index, line] of lines.entries()) text(draw, line, margin, 14 + (index + 1) * lineHeight)
    },
  }
}
