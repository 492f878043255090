import type { FastifyInstance } from 'fastify'
import { getThermostatSchedules, sendThermostatSchedule } from '@caretaker/contract/schedules.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import type { SchedulePart } from '@caretaker/rules/properties/schedule.ts'
import { scheduleIn, scheduleParts, takesSchedules } from '@caretaker/rules/properties/schedule.ts'
import { serveTenant } from '../../http/serve.ts'
import { askFor } from '../boilers/settings.ts'
import { findDevice } from '../devices/store.ts'
import { findState } from '../commands/store.ts'

export function scheduleRoutes(app: FastifyInstance): void {
  serveTenant(app, getThermostatSchedules, async ({ tx, actor, params }) => {
    const device = await findDevice(tx, actor, params.deviceId)
    if (familyOf(device.product) !== 'vStat') throw refuse('not found')
    const { reported, desired } = await findState(tx, device.id)
    const schedulesIn = (state: Record<string, unknown>) =>
      Object.fromEntries(scheduleParts.map((part) => [part, scheduleIn(state, part)])) as Record<
        SchedulePart,
        ReturnType<typeof scheduleIn>
      >
    return {
      takesSchedules: takesSchedules(reported),
      desired: schedulesIn(desired),
      reported: schedulesIn(reported),
    }
  })

  serveTenant(app, sendThermostatSchedule, async (caller) => ({
    status: 'queued' as const,
    commandId: await askFor(caller, {
      deviceId: caller.params.deviceId,
      operation: 'set schedule',
      name: 'schedule',
      args: caller.body,
      unfit: (reported) =>
        takesSchedules(reported) ? undefined : 'The firmware of this V-Stat does not support schedules.',
    }),
  }))
}
