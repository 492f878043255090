import { familyOf } from '@caretaker/rules/devices/products.ts'
import type { BatteryType, Luminaire, MonitoredLedCircuit, OperatingMode } from '@caretaker/rules/lighting/luminaire.ts'
import type { Chance } from '../chance.ts'
import { chanceOf, demoId, pick, weighted } from '../chance.ts'
import { map } from '../copy.ts'
import type { DemoDevice } from '../plan/device.ts'
import { day, isInstalled } from '../plan/device.ts'
import type { DeviceSeeder, Seeder } from '../seeding.ts'

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
  'operating_mode',
  'key_switch',
]

/** Creates the equipment of installed emergency lights. */
export const seedEquipment: DeviceSeeder = async ({ write, now }, devices) => {
  const lights = devices.filter((device) => familyOf(device.product) === 'emered' && isInstalled(device.status))
  await write(
    'emergency_equipment',
    columns,
    map(lights, (light) => {
      const chance = chanceOf(`${light.serial} equipment`)
      const { name, lampType, inverterType, batteryType, batteryVoltage, batteryCapacity } = luminaireOf(light, chance)
      const installed = new Date(batterySince(light, now, chance)).toISOString().slice(0, 10)
      const circuit = light.traits['maintained'] === true ? 'single' : weighted(chance, circuits)
      return [
        ...[light.id, name, lampType, inverterType, batteryType, batteryVoltage, batteryCapacity],
        installed,
        circuit,
        ...operationOf(light, circuit),
      ]
    }),
  )
}

/** The operating mode and key switch are recorded for most lights of a building. */
function operationOf(light: DemoDevice, circuit: MonitoredLedCircuit): [OperatingMode | null, string | null] {
  const written = chanceOf(`${light.home} register`)() < 0.8
  if (!written) return [null, null]
  // A monitored maintained circuit means that the light is maintained.
  return [circuit === 'emergency' ? 'nonMaintained' : 'maintained', 'Electrical intake, ground floor']
}

const circuits: (readonly [MonitoredLedCircuit, number])[] = [
  ['emergency', 6],
  ['maintained', 1],
  ['single', 3],
]

/**
 * The luminaires that all demo clients use, with the packs that the simulator models: three nickel cells, or one lithium cell. With
 * any other pack, the simulated voltages would show an empty battery.
 */
const standards = {
  corridor: [
    luminaire('Batten 1200 mm', 'T5 fluorescent', 'Integral', 'Nickel Cadmium', 3.6, 4),
    luminaire('Batten 1500 mm', 'LED', 'Integral', 'Lithium Ion', 3.2, 3),
    luminaire('Bulkhead, maintained', 'LED', 'Self-contained', 'Nickel Metal Hydride', 3.6, 4),
    luminaire('Downlight, recessed', 'LED', 'Remote', 'Nickel Cadmium', 3.6, 2.5),
    luminaire('Twin spot', 'LED', 'Self-contained', 'Nickel Metal Hydride', 3.6, 7),
  ],
  exit: luminaire('Exit sign, blade', 'LED', 'Self-contained', 'Nickel Cadmium', 3.6, 1.5),
  stairwell: luminaire('Stairwell, microwave', 'LED', 'Self-contained', 'Nickel Cadmium', 3.6, 4),
}

function luminaire(
  name: string,
  lampType: string,
  inverterType: string,
  batteryType: BatteryType,
  batteryVoltage: number,
  batteryCapacity: number,
): Luminaire {
  return { name, lampType, inverterType, batteryType, batteryVoltage, batteryCapacity }
}

/** Creates the standard luminaires of a tenant. */
export const seedStandardLuminaires: Seeder = async ({ write, now, world: { plan } }) => {
  await write(
    'standard_luminaire',
    ['id', ...columns.slice(1, 7), 'created_at'],
    [...standards.corridor, standards.exit, standards.stairwell].map((one) => [
      ...[demoId(`${plan.id} luminaire ${one.name}`), one.name, one.lampType, one.inverterType],
      ...[one.batteryType, one.batteryVoltage, one.batteryCapacity, new Date(now - 400 * day).toISOString()],
    ]),
  )
}

/** The lights of a building have the same luminaire; one in ten has another battery. */
function luminaireOf(light: DemoDevice, chance: Chance): Luminaire {
  const bought = chanceOf(`${light.home} luminaires`)
  const standard = /stair/i.test(light.room ?? '')
    ? standards.stairwell
    : /lobby|entrance/i.test(light.room ?? '')
      ? standards.exit
      : pick(bought, standards.corridor)
  // The light with this story has the large battery pack that its curve shows.
  if (light.story === 'failed T180') return standards.stairwell
  return chance() < 0.1 ? { ...standard, batteryCapacity: pick(chance, [2, 2.5, 3]) } : standard
}

/** A worn battery is an old one. */
function batterySince(light: DemoDevice, now: number, chance: Chance): number {
  if (light.story === 'failed T180') return now - 1742 * day
  const health = light.traits['batteryHealth']
  const worn = typeof health === 'number' && health < 0.9
  return now - Math.floor((worn ? 1400 : 60) + chance() * (worn ? 500 : 1100)) * day
}
