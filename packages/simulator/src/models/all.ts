import type { FleetModel } from '@caretaker/contract/mqtt/fleet.ts'
import { autofill } from './autofill.ts'
import { boiler } from './boiler.ts'
import { emered } from './emered.ts'
import { gateway } from './gateway.ts'
import { heatInterfaceUnit } from './heat-interface-unit.ts'
import { heatPump } from './heat-pump.ts'
import type { Model } from './model.ts'
import { powerMeter } from './power-meter.ts'
import { powerSwitch } from './power-switch.ts'
import { presenceOnly } from './presence.ts'
import { enviroDot, homeHub, multiDot, vStat } from './room.ts'

/** A model with its state type hidden. The caller passes back the state that the model returned. */
const hidden = <State>(model: Model<State>) => model as Model<unknown>

export const modelOf: Record<FleetModel, Model<unknown>> = {
  emered: hidden(emered),
  boiler: hidden(boiler),
  airSourceHeatPump: hidden(heatPump),
  heatInterfaceUnit: hidden(heatInterfaceUnit),
  autofill: hidden(autofill),
  gateway: hidden(gateway),
  multiDot: hidden(multiDot),
  enviroDot: hidden(enviroDot),
  powerMeter: hidden(powerMeter),
  powerSwitch: hidden(powerSwitch),
  vStat: hidden(vStat),
  homeHub: hidden(homeHub),
  liftMonitor: hidden(presenceOnly),
  peopleCounter: hidden(presenceOnly),
  thirdParty: hidden(presenceOnly),
}
