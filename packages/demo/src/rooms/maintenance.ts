import { familyOf } from '@caretaker/rules/devices/products.ts'
import type { LightPart } from '@caretaker/rules/maintenance/forms.ts'
import { demoId } from '../chance.ts'
import { map } from '../copy.ts'
import { demoDevices } from '../fixtures.ts'
import type { DemoDevice } from '../plan/device.ts'
import { day, hour } from '../plan/device.ts'
import type { DeviceSeeder, Seeding } from '../seeding.ts'
import { conditionsOf } from './conditions.ts'

/** A note or repair that a user entered; `ago` in milliseconds before now. */
interface PastNote {
  by: string
  ago: number
  note: string
}

interface PastRepair {
  by: string
  ago: number
  description: string
  parts?: readonly LightPart[]
}

const [tom, callum, priya] = ['Tom Ashworth', 'Callum Hargreaves', 'Priya Nair'] as const
const { boilerLockout, livelyBoiler, heatSaviour, failedT180, livelyLight, failedAutofill } = demoDevices

const pastNotes: Record<string, readonly PastNote[]> = {
  [boilerLockout.deviceId]: [
    {
      ...{ by: tom, ago: 3 * day },
      note: 'Reset from the office, lit at the second try. Electrode looked worn at the last service: take one along.',
    },
    { by: priya, ago: 20 * day, note: 'Wall cupboard left of the window. Water meter in the same cupboard.' },
  ],
  [livelyBoiler.deviceId]: [{ by: tom, ago: 40 * day, note: 'Condensate pipe lagged after the frost.' }],
  [heatSaviour.deviceId]: [{ by: tom, ago: 60 * day, note: 'Power switch is in the airing cupboard, second shelf.' }],
  [failedAutofill.deviceId]: [{ by: tom, ago: 2 * day, note: 'Lost 0.3 bar in a week: look for a leak first.' }],
  [failedT180.deviceId]: [
    { by: callum, ago: 9 * day, note: 'Needs a 3 m ladder.\nKey to the riser is with the office.' },
  ],
}

const pastRepairs: Record<string, readonly PastRepair[]> = {
  [boilerLockout.deviceId]: [{ by: tom, ago: 210 * day, description: 'Fan replaced, flue gas measured.' }],
  [livelyBoiler.deviceId]: [{ by: tom, ago: 300 * day, description: 'Diverter valve freed and greased.' }],
  [livelyLight.deviceId]: [
    { by: callum, ago: 400 * day, description: 'Type 3.6 V 4 Ah', parts: ['battery'] },
    { by: callum, ago: 700 * day, description: '', parts: ['battery', 'lamp'] },
  ],
}

const noteColumns = ['id', 'device_id', 'at', 'note', 'person_name']
const formColumns = [
  'id',
  'device_id',
  'at',
  'part',
  'parts',
  'description',
  'repaired_by',
  'repaired_on',
  'person_name',
]

/**
 * Creates the notes and repair forms of devices with a scenario, and a form for each repair in a device's conditions.
 */
export const seedMaintenance: DeviceSeeder = async ({ write, now }, devices) => {
  const notes = devices.flatMap(({ id }) => (pastNotes[id] ?? []).map((one) => ({ ...one, id })))
  if (notes.length)
    await write(
      'device_note',
      noteColumns,
      map(notes, ({ id, by, ago, note }) => [demoId(`${id} note ${ago}`), id, new Date(now - ago), note, by]),
    )
  const forms = devices.flatMap((device) => formsOf(device, now))
  if (forms.length)
    await write(
      'repair_form',
      formColumns,
      map(forms, ({ deviceId, at, part, parts, description, by }) => [
        demoId(`${deviceId} repair ${Math.round((now - at) / hour)}`),
        deviceId,
        new Date(at),
        part,
        { battery: parts.includes('battery'), inverter: parts.includes('inverter'), lamp: parts.includes('lamp') },
        description,
        by,
        new Date(at).toISOString().slice(0, 10),
        by,
      ]),
    )
}

function formsOf(device: DemoDevice, now: Seeding['now']) {
  const isLight = familyOf(device.product) === 'emered'
  const fromConditions = conditionsOf(device, now).flatMap(({ kind, began, evidence }) =>
    kind === 'equipmentRepaired' || kind === 'deviceRepaired'
      ? {
          ...{ deviceId: device.id, at: began, by: evidence?.by?.name ?? tom },
          part: kind === 'deviceRepaired' ? 'device' : 'equipment',
          parts: isLight && kind === 'equipmentRepaired' ? (['battery'] as const) : [],
          description: isLight ? '' : 'Put right at a visit',
        }
      : [],
  )
  const written = (pastRepairs[device.id] ?? []).map(({ by, ago, description, parts = [] }) => ({
    ...{ deviceId: device.id, at: now - ago, by, part: 'equipment', parts, description },
  }))
  return [...fromConditions, ...written]
}
