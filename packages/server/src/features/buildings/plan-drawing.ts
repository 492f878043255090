import { refuse } from '@caretaker/contract/refusal.ts'
import { buildingTexts, floorPlanSizeFault } from '@caretaker/rules/buildings/building.ts'
import { contentTypeOf } from '../../files/content-type.ts'
import { drawPdfPage } from '../../files/pdf-page.ts'
import type { PhotoType } from '../../files/photo.ts'
import { isPhotoType, plainPhoto, sizeFault } from '../../files/photo.ts'
import type { Drawing } from '../../files/svg.ts'
import { readDrawing } from '../../files/svg-thread.ts'
import { incomplete } from '../../files/whole.ts'

interface PlanDrawing extends Drawing {
  source: 'drawing' | 'pdf' | 'picture'
  pages: number
  /** Why this page cannot be used, although others may be usable. */
  fault?: string | undefined
}

/** Converts a file to the drawing of a floor plan; refuses one that cannot be converted. */
export async function drawingOf(file: File, page: number): Promise<PlanDrawing> {
  const fault = floorPlanSizeFault(file.size)
  if (fault) throw refuse(file.size ? 'too large' : 'unsupported', fault)
  const type = await contentTypeOf(file)
  if (type === 'application/pdf') return pageOf(file, page)
  if (type && isPhotoType(type)) return pictureOf(file, type)
  if (type && type !== 'image/svg+xml') throw refuse('unsupported', buildingTexts.planTypes)
  const read = await readDrawing(file)
  if ('fault' in read) throw refuse('unsupported', read.fault)
  return { source: 'drawing', pages: 1, ...read }
}

async function pageOf(file: File, page: number): Promise<PlanDrawing> {
  const drawn = await drawPdfPage(file, page)
  if ('png' in drawn)
    return { source: 'pdf', pages: drawn.pages, ...drawingAround(drawn.png, 'image/png', drawn), leftOut: [] }
  if (!drawn.pages) throw refuse('unsupported', drawn.fault)
  return { source: 'pdf', pages: drawn.pages, drawing: '', frame: undefined, leftOut: [], fault: drawn.fault }
}

async function pictureOf(file: File, type: PhotoType): Promise<PlanDrawing> {
  const photo = plainPhoto(new Uint8Array(await file.arrayBuffer()), type)
  if (!photo) throw refuse('unsupported', incomplete)
  const fault = sizeFault(photo)
  if (fault) throw refuse('too large', fault)
  return { source: 'picture', pages: 1, ...drawingAround(photo.content, type, photo), leftOut: [] }
}

/** Wraps an image in a drawing: plans have one format, which maps and apps stretch over their floor. */
function drawingAround(
  content: Uint8Array,
  type: PhotoType,
  { width, height }: { width: number; height: number },
): Pick<PlanDrawing, 'drawing' | 'frame'> {
  const data = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64')
  const sides = `width="${width}" height="${height}"`
  const image = `<image ${sides} href="data:${type};base64,${data}"></image>`
  return {
    drawing: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${image}</svg>`,
    frame: { width, height },
  }
}
