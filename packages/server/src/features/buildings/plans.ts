import type { Floor, FloorPlanPreview, previewFloorPlan, uploadFloorPlan } from '@caretaker/contract/buildings.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import { largestFloorPlan, longestPlanName, newFloorShape } from '@caretaker/rules/buildings/building.ts'
import type { PlanShape } from '@caretaker/rules/buildings/geometry.ts'
import { fittedSides, isOtherShape, otherShapeText, sidesOfDrawing } from '@caretaker/rules/buildings/geometry.ts'
import { planStem } from '@caretaker/rules/buildings/plan-files.ts'
import type { LeftOut } from '@caretaker/rules/drawings/left-out.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { setFloorPlan } from '../../buildings/save.ts'
import type { StagedFile } from '../../files/files.ts'
import { keepFile, stageFile } from '../../files/files.ts'
import type { Drawing } from '../../files/svg.ts'
import type { StepsCall } from '../../http/serve.ts'
import type { Person } from '../../identity/person.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { visible } from '../devices/visible.ts'
import { drawingOf } from './plan-drawing.ts'
import { holdBuilding } from './save.ts'
import { asFloor, floorRows } from './store.ts'

interface Uploaded {
  building: string
  floor: string
  file: File
  shape?: PlanShape | undefined
}

/** Stores a file as the plan of a floor: a drawing without anything that would run or load. */
export async function keepPlan({
  context,
  tenant,
  form,
  inTx,
}: StepsCall<typeof uploadFloorPlan>): Promise<Floor & { leftOut: LeftOut[] }> {
  const floor = await inTx(({ tx }) => floorOf(tx, form.building, form.floor))
  const plan = await drawingOf(form.file, form.page)
  if (plan.fault !== undefined) throw refuse('unsupported', plan.fault)
  const { drawing, frame, leftOut } = plan
  const message = form.shape === undefined ? shapeQuestion(floor, frame) : undefined
  if (message) throw refuse('conflict', message, [{ field: 'shape', message }])
  const name = planName(form.file.name)
  const staged = await stageFile(context, tenant, new File([drawing], name, { type: 'image/svg+xml' }), {
    ...{ referrer: 'floor_plan', allowed: ['image/svg+xml'] },
    // The drawing may be longer than the file: it has entities instead of plain characters, and images as text.
    maxBytes: 2 * largestFloorPlan + 100_000,
  })
  const kept = await inTx(({ tx, person }) => setPlan({ tx, person }, form, { staged, name, frame }))
  return { ...kept, leftOut }
}

/** A file as it would be stored, with the questions to answer first. */
export async function previewPlan({ form, inTx }: StepsCall<typeof previewFloorPlan>): Promise<FloorPlanPreview> {
  const floor = await inTx(({ tx }) => floorOf(tx, form.building, form.floor))
  const { source, pages, drawing, frame, leftOut, fault } = await drawingOf(form.file, form.page)
  return {
    ...{ source, pages, leftOut, fault: fault ?? null },
    drawing: source === 'picture' || fault !== undefined ? null : drawing,
    shape: shapeQuestion(floor, frame) ?? null,
  }
}

/** The question to ask before a floor gets a plan of another shape. */
const shapeQuestion = (floor: PlanFloor, frame: Drawing['frame']): string | undefined =>
  frame && !isAsMade(floor) && isOtherShape(floor, frame) ? otherShapeText(floor, frame) : undefined

async function setPlan(
  { tx, person }: { tx: TenantTx; person: Person },
  { building, floor, shape }: Pick<Uploaded, 'building' | 'floor' | 'shape'>,
  { staged, name, frame }: { staged: StagedFile; name: string; frame: Drawing['frame'] },
): Promise<Floor> {
  const kept = await keepFile(tx, person, staged)
  const held = await holdBuilding(tx, building)
  const before = await floorOf(tx, building, floor)
  const plan = { file_id: kept.id, name, uploaded_at: new Date() }
  const sides = frame ? sidesFor(before, frame, shape) : undefined
  const isReshaped = sides && differences({ ...before }, { ...sides })
  const shaped = isReshaped ? { ...sides, revision: before.revision + 1 } : undefined
  await setFloorPlan(tx, person, { building: held, floor: before }, { plan, shape: isReshaped && sides })
  return asFloor({ ...before, ...shaped, plan: plan.name, file_id: plan.file_id })
}

type PlanFloor = Awaited<ReturnType<typeof floorOf>>

const isAsMade = ({ plan, width, height }: Pick<PlanFloor, 'plan' | 'width' | 'height'>) =>
  plan === null && width === newFloorShape.width && height === newFloorShape.height

/** A floor without an entered size takes the shape of its first drawing; any other only if the user agrees. */
function sidesFor(floor: PlanFloor, frame: NonNullable<Drawing['frame']>, shape: PlanShape | undefined) {
  if (isAsMade(floor)) return sidesOfDrawing(frame)
  return shape === 'fit' ? fittedSides(floor, frame) : undefined
}

/** The file of a plan. */
export async function findPlan(
  tx: TenantTx,
  actor: Actor,
  { building, floor }: { building: string; floor: string },
): Promise<{ fileId: string; name: string }> {
  const row = await floorOf(tx, building, floor)
  if (row.file_id === null || row.plan === null) throw refuse('not found')
  const sees = await seesPlanOf(tx, actor, building)
  if (!sees(floor)) throw refuse('not found')
  return { fileId: row.file_id, name: row.plan }
}

/** The floors of a building whose plan the actor may see: limited users those on which they see a device. */
export async function seesPlanOf(tx: TenantTx, actor: Actor, building: string): Promise<(floor: string) => boolean> {
  if (can(actor, 'see buildings')) return () => true
  const rows = await visible(tx.selectFrom('device'), actor)
    .select('floor_id')
    .distinct()
    .where('building_id', '=', building)
    .where('floor_id', 'is not', null)
    .execute()
  const seen = new Set(rows.map((row) => row.floor_id))
  return (floor) => seen.has(floor)
}

async function floorOf(tx: TenantTx, building: string, floor: string) {
  const row = (await floorRows(tx, [building])).find(({ id }) => id === floor)
  if (!row) throw refuse('not found')
  return row
}

/** '{name}.svg', whatever the file's own extension. */
function planName(name: string): string {
  const last = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .split(/[/\\]/)
    .at(-1)!
  const stem = planStem(last)
    .trim()
    .slice(0, longestPlanName - 4)
  return `${stem || 'floor-plan'}.svg`
}
