import type { Condition } from './conditions.ts'
import { conditionRules } from './conditions.ts'
import type { ConditionFacts } from './words.ts'
import { conditionText, reasonWord } from './words.ts'
import { inNaturalOrder } from '../texts/natural-order.ts'

/** Replaceable parts of a light; 'Unknown' if it is not known which part failed. */
export const lightParts = ['Battery', 'Inverter', 'Lamp', 'Device', 'Unknown'] as const
export type LightPart = (typeof lightParts)[number]

export const lightPartWords: Record<LightPart, { one: string; many: string }> = {
  Battery: { one: 'Battery', many: 'Batteries' },
  Inverter: { one: 'Inverter', many: 'Inverters' },
  Lamp: { one: 'Lamp', many: 'Lamps' },
  Device: { one: 'Device', many: 'Devices' },
  Unknown: { one: 'Part not known', many: 'Parts not known' },
}

export const modelNotEntered = 'Model not entered'

/** An open condition with the data that identifies the failed part. */
export type OpenCondition = Pick<Condition, 'kind' | 'key' | 'began' | 'lastSeen'> &
  Pick<ConditionFacts, 'states' | 'description'>

export interface NeededPart {
  part: LightPart
  /** 'Battery T180': the part and the test that showed the failure. */
  reason: string
}

/** The parts of a light, as far as they identify a model. */
export interface PartModels {
  luminaire: string | null
  lampType: string | null
  inverterType: string | null
  batteryType: string | null
  /** V */
  batteryVoltage: number | null
  /** Ah */
  batteryCapacity: number | null
}

const failing = ['FailedEquipment', 'FailedDevice']

/** The kinds of conditions that need a replacement part. A silent light may be intact. */
export const needsPart = ({ kind }: Pick<Condition, 'kind'>) =>
  failing.includes(conditionRules[kind].status) && kind !== 'notHeard'

/**
 * The failed parts of a light, each once, with all evidence. Parts repaired since are left out, even if no test has
 * proved them yet.
 */
export function partsNeeded(open: readonly OpenCondition[]): NeededPart[] {
  const repaired = Math.max(
    -Infinity,
    ...open.filter(({ kind }) => kind === 'equipmentRepaired' || kind === 'deviceRepaired').map(({ began }) => began),
  )
  const found = open
    .filter((condition) => needsPart(condition) && (condition.lastSeen ?? condition.began) > repaired)
    .flatMap((condition) => partsOf(condition).map((part) => ({ part, shown: shownBy(condition, part) })))
  return lightParts.flatMap((part) => {
    const shown = [...new Set(found.filter((one) => one.part === part).map((one) => one.shown))].toSorted()
    if (!shown.length) return []
    const proof = shown.filter(Boolean).join(', ')
    return [{ part, reason: part === 'Unknown' ? proof : [lightPartWords[part].one, proof].filter(Boolean).join(' ') }]
  })
}

const isOfTest = ({ kind }: OpenCondition) => kind === 'testFailed' || kind === 'deviceTestFailed'

/** The evidence: the test type, or the code of the fault. */
const shownBy = (condition: OpenCondition, part: LightPart) => {
  if (isOfTest(condition)) return condition.key
  const word = reasonWord(condition)
  return word.replace(new RegExp(`^${part}\\b\\s*`, 'i'), '')
}

function partsOf(condition: OpenCondition): LightPart[] {
  if (isOfTest(condition)) {
    const states = condition.states ?? {}
    const failed = (['Battery', 'Inverter', 'Lamp'] as const).filter((part) => states[part] === 'Failed')
    if (states.Emered === 'Failed') return failed.length ? failed : ['Device']
    return failed.length ? failed : ['Unknown']
  }
  if (condition.kind === 'deviceBroken') return ['Device']
  const words = `${condition.key} ${condition.description ?? ''} ${conditionText(condition)}`
  const named = Object.entries(namedBy).filter(([, pattern]) => pattern.test(words))
  return named.length ? named.map(([part]) => part as LightPart) : ['Unknown']
}

/** How fault texts of devices name each part. */
const namedBy: Partial<Record<LightPart, RegExp>> = {
  Battery: /batter(y|ies)/i,
  Inverter: /inverter|control ?gear/i,
  Lamp: /lamp|led\b/i,
}

/** The model of a part as printed on the light; null if not entered. */
export function modelOf(part: LightPart, light: PartModels | null): string | null {
  if (!light) return null
  switch (part) {
    case 'Battery': {
      const { batteryType, batteryVoltage, batteryCapacity } = light
      const size = [
        batteryVoltage === null ? '' : `${batteryVoltage} V`,
        batteryCapacity === null ? '' : `${batteryCapacity} Ah`,
      ]
      return batteryType && [batteryType, size.filter(Boolean).join(', ')].filter(Boolean).join(' ')
    }
    case 'Inverter':
      return light.inverterType || null
    case 'Lamp':
      return light.lampType || null
    case 'Device':
    case 'Unknown':
      return light.luminaire || null
  }
}

/** A light in the parts list. */
export interface LightToRepair {
  deviceId: string
  name: string
  serial: string
  buildingId: string | null
  building: string | null
  floor: string | null
  room: string | null
}

export interface PartsRow<Light extends LightToRepair = LightToRepair> {
  buildingId: string | null
  building: string | null
  part: LightPart
  model: string | null
  /** The number of parts, not lights. */
  quantity: number
  lights: (Light & { reason: string })[]
}

/** One row per building, part and model, ordered by building name; lights without a building last. */
export function partsList<Light extends LightToRepair>(
  lights: readonly { light: Light; models: PartModels | null; open: readonly OpenCondition[] }[],
): PartsRow<Light>[] {
  const needed = lights.flatMap(({ light, models, open }) =>
    partsNeeded(open).map(({ part, reason }) => ({ part, model: modelOf(part, models), light: { ...light, reason } })),
  )
  const rows = Map.groupBy(needed, ({ part, model, light }) =>
    JSON.stringify([light.buildingId, light.building, part, model]),
  )
  return [...rows.values()]
    .map((some): PartsRow<Light> => {
      const [{ part, model, light }] = some as [(typeof some)[number]]
      const { buildingId, building } = light
      const named = some.map((one) => one.light).toSorted((a, b) => inNaturalOrder(a.name, b.name))
      return { buildingId, building, part, model, quantity: some.length, lights: named }
    })
    .toSorted(
      (a, b) =>
        Number(a.building === null) - Number(b.building === null) ||
        inNaturalOrder(a.building ?? '', b.building ?? '') ||
        inNaturalOrder(a.buildingId ?? '', b.buildingId ?? '') ||
        lightParts.indexOf(a.part) - lightParts.indexOf(b.part) ||
        Number(a.model === null) - Number(b.model === null) ||
        inNaturalOrder(a.model ?? '', b.model ?? ''),
    )
}

export interface VanPart {
  part: LightPart
  quantity: number
  models: { model: string | null; quantity: number }[]
}

/** The quantity of each part and model across all buildings. */
export function partsForTheVan(rows: readonly Pick<PartsRow, 'part' | 'model' | 'quantity'>[]): VanPart[] {
  const sum = (some: readonly { quantity: number }[]) => some.reduce((total, { quantity }) => total + quantity, 0)
  return lightParts.flatMap((part) => {
    const ofPart = rows.filter((row) => row.part === part)
    if (!ofPart.length) return []
    const models = [...Map.groupBy(ofPart, ({ model }) => model)].map(([model, some]) => ({
      model,
      quantity: sum(some),
    }))
    return [
      {
        part,
        quantity: sum(ofPart),
        models: models.toSorted(
          (a, b) =>
            Number(a.model === null) - Number(b.model === null) ||
            b.quantity - a.quantity ||
            inNaturalOrder(a.model ?? '', b.model ?? ''),
        ),
      },
    ]
  })
}
