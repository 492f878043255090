import type { Family, Product } from '@caretaker/rules/devices/products.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import {
  IconApi,
  IconBolt,
  IconBroadcast,
  IconBulb,
  IconDroplet,
  IconFlame,
  IconHomeSignal,
  IconPlug,
  IconRouter,
  IconStairs,
  IconTemperature,
  IconUsers,
  IconWind,
} from '../icons/index.ts'

const icons: Record<Family, typeof IconBulb> = {
  emered: IconBulb,
  boiler: IconFlame,
  airSourceHeatPump: IconWind,
  heatInterfaceUnit: IconFlame,
  autofill: IconDroplet,
  gateway: IconRouter,
  multiDot: IconBroadcast,
  enviroDot: IconBroadcast,
  powerMeter: IconBolt,
  powerSwitch: IconPlug,
  vStat: IconTemperature,
  homeHub: IconHomeSignal,
  liftMonitor: IconStairs,
  peopleCounter: IconUsers,
  thirdParty: IconApi,
}

/** The icon of a product's family. */
export function FamilyIcon({ product, size = 18 }: { product: Product; size?: number }) {
  const Icon = icons[familyOf(product)]
  return <Icon size={size} stroke={1.7} aria-hidden />
}
