import { familyOf } from '@caretaker/rules/devices/products.ts'
import type { BatteryType, Luminaire, MonitoredLedCircuit } from '@caretaker/rules/lighting/luminaire.ts'
import type { Chance } from '../chance.ts'
import { chanceOf, pick, weighted } from '../chance.ts'
import { map } from '../copy.ts'
import type { DemoDevice } from '../plan/device.ts'
import { day, isInstalled } from '../plan/device.ts'
import type { DeviceSeeder } from '../seeding.ts'

const columns = [
  'device_id',
  'name',
  'lamp_type',
  'inverter_type',
  'battery_type',
  'battery_voltage',
  'battery_capacity',
  'battery_installed',
  'monitored_led_circuit',
]

/** What hangs on the emergency lights that somebody has installed. */
export const seedEquipment: DeviceSeeder = async ({ write, now }, devices) => {
  const lights = devices.filter((device) => familyOf(device.product) === 'emered' && isInstalled(device.status))
  await write(
    'emergency_equipment',
    columns,
    map(lights, (light) => {
      const chance = chanceOf(`${light.serial} equipment`)
      const { name, lampType, inverterType, batteryType, batteryVoltage, batteryCapacity } = luminaireOf(light, chance)
      return [
        ...[light.id, name, lampType, inverterType, batteryType, batteryVoltage, batteryCapacity],
        new Date(batterySince(light, now, chance)).toISOString().slice(0, 10),
        light.traits['maintained'] === true ? 'single' : weighted(chance, circuits),
      ]
    }),
  )
}

const circuits: (readonly [MonitoredLedCircuit, number])[] = [
  ['emergency', 6],
  ['maintained', 1],
  ['single', 3],
]

const packs: (readonly [{ type: BatteryType; voltage: number; capacities: readonly number[] }, number])[] = [
  [{ type: 'Nickel Cadmium', voltage: 3.6, capacities: [1.5, 2.5, 4] }, 5],
  [{ type: 'Nickel Metal Hydride', voltage: 3.6, capacities: [2, 2.5] }, 2],
  [{ type: 'Lithium Ion', voltage: 3.2, capacities: [1.5, 3] }, 3],
]

/** Lights of one building were bought together. */
function luminaireOf(light: DemoDevice, chance: Chance): Luminaire {
  const bought = chanceOf(`${light.home} luminaires`)
  const pack = weighted(bought, packs)
  const where = /stair/i.test(light.room ?? '')
    ? 'Stairwell'
    : /lobby|entrance/i.test(light.room ?? '')
      ? 'Exit sign'
      : 'Bulkhead'
  // The storied light has the large pack that its curve shows.
  const isStoried = light.story === 'failed T180'
  return {
    name: `${where}, ${pick(bought, ['microwave', 'round', 'slim', 'die-cast'])}`,
    lampType: weighted(bought, [
      ['LED', 8],
      ['T5 fluorescent', 2],
    ]),
    inverterType: pick(bought, ['Integral', 'Self-contained', 'Remote']),
    batteryType: isStoried ? 'Nickel Cadmium' : pack.type,
    batteryVoltage: isStoried ? 3.6 : pack.voltage,
    batteryCapacity: isStoried ? 4 : pick(chance, pack.capacities),
  }
}

/** A worn battery is an old one. */
function batterySince(light: DemoDevice, now: number, chance: Chance): number {
  if (light.story === 'failed T180') return now - 1742 * day
  const health = light.traits['batteryHealth']
  const worn = typeof health === 'number' && health < 0.9
  return now - Math.floor((worn ? 1400 : 60) + chance() * (worn ? 500 : 1100)) * day
}
