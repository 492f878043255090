import {
  IconAirConditioning,
  IconBolt,
  IconBroadcast,
  IconDroplet,
  IconFlame,
  IconHexagons,
  IconRouter,
  IconTemperature,
  IconWind,
} from '../../icons/index.ts'
import type { DashboardData } from '@caretaker/contract/dashboard.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import type { DeviceSummary } from '@caretaker/rules/devices/status.ts'
import type { GeneralAction } from '@caretaker/rules/rights/can.ts'
import type { SummaryLinks } from './links.ts'
import { bcmLinks, presetLinks, productLinks } from './links.ts'

/** A device family on the dashboard: counts, links and permissions. */
export interface Widget {
  title: string
  icon: typeof IconFlame
  counts(data: DashboardData): DeviceSummary
  links?: { may: GeneralAction; of(tenant: string): SummaryLinks }
}

const boilerFamily = (family: 'autofill' | 'enviroDot' | 'powerMeter'): Pick<Widget, 'counts' | 'links'> => ({
  counts: (data) => data[family],
  links: { may: 'see boilers', of: (tenant) => productLinks(tenant, 'Boilers', productsOfFamily(family)) },
})

/** The families below emergency lights and heating monitoring, in order. */
export const widgets: readonly Widget[] = [
  {
    // The listing of boilers also has heat pumps, autofills and heating sensors; 'Boilers' would mean boilers only.
    title: 'Heating devices',
    icon: IconFlame,
    counts: ({ listings }) => listings.Boilers,
    links: { may: 'see boilers', of: (tenant) => presetLinks(tenant, 'Boilers') },
  },
  {
    title: 'Air source heat pumps',
    icon: IconAirConditioning,
    counts: ({ monitoring }) => monitoring.HeatPump,
    links: { may: 'see boilers', of: (tenant) => bcmLinks(tenant, 'ASHP') },
  },
  // Without a link (devices specification, section 2).
  { title: 'Heat interface units', icon: IconHexagons, counts: (data) => data.heatInterfaceUnit },
  { title: 'Autofills', icon: IconDroplet, ...boilerFamily('autofill') },
  {
    title: 'Gateways',
    icon: IconRouter,
    counts: ({ listings }) => listings.NetworkingDevices,
    links: { may: 'see networking', of: (tenant) => presetLinks(tenant, 'NetworkingDevices') },
  },
  {
    title: 'Multi-dots',
    icon: IconBroadcast,
    counts: ({ listings }) => listings.MultiDots,
    links: { may: 'see sensors', of: (tenant) => presetLinks(tenant, 'MultiDots') },
  },
  { title: 'Enviro-dots', icon: IconWind, ...boilerFamily('enviroDot') },
  { title: 'Power meters', icon: IconBolt, ...boilerFamily('powerMeter') },
  {
    title: 'V-Stats',
    icon: IconTemperature,
    counts: ({ listings }) => listings.VStats,
    links: { may: 'see sensors', of: (tenant) => presetLinks(tenant, 'VStats') },
  },
]
