import type { Chance } from '../chance.ts'
import { chanceOf, whole } from '../chance.ts'

/**
 * The size and rotation of a building's plans, in metres and degrees clockwise. Devices are placed within 17 metres of the centre.
 */
export interface PlanShape {
  width: number
  height: number
  rotation: number
}

export function planShape(building: string): PlanShape {
  const chance = chanceOf(`${building} plan`)
  return { width: whole(chance, 44, 60), height: whole(chance, 42, 48), rotation: (whole(chance, -8, 8) + 360) % 360 }
}

/** A simple plan: a corridor with rooms on both sides and a staircase at each end, in centimetres. */
export function planDrawing(building: string, floor: string, { width, height }: PlanShape): string {
  const chance = chanceOf(`${building} ${floor} walls`)
  const [across, down] = [width * 100, height * 100]
  const [top, bottom] = [down * 0.42, down * 0.58]
  const stair = 500
  const partitions = [
    ...rooms(chance, stair, across - stair, 0, top),
    ...rooms(chance, stair, across - stair, bottom, down),
  ]
  const steps = [0, across - stair].flatMap((left) =>
    Array.from({ length: 8 }, (_, at) => `M${left} ${bottom + (at + 1) * 60}h${stair}`),
  )
  const line = (d: string, strokeWidth: number) => `<path d="${d}" stroke-width="${strokeWidth}"/>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-30 -30 ${across + 60} ${down + 60}" width="${across}" height="${down}">
<title>${building}, ${floor}</title>
<rect width="${across}" height="${down}" fill="#fff" fill-opacity="0.85"/>
<g fill="none" stroke="#374151" stroke-linecap="square">
${line(`M0 0H${across}V${down}H0Z`, 40)}
${line(`M${stair} ${top}H${across - stair}M${stair} ${bottom}H${across - stair}${partitions.join('')}`, 20)}
${line(`M${stair} 0V${top}M${stair} ${bottom}V${down}M${across - stair} 0V${top}M${across - stair} ${bottom}V${down}`, 20)}
${line(steps.join(''), 8)}
</g>
</svg>`
}

/** Partitions between rooms, each with a gap for a door to the corridor. */
function rooms(chance: Chance, from: number, to: number, top: number, bottom: number): string[] {
  const partitions: string[] = []
  for (let at = from + whole(chance, 500, 900); at < to - 400; at += whole(chance, 500, 900))
    partitions.push(`M${at} ${top}V${bottom}`)
  return partitions
}
