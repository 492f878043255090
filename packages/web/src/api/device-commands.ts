import { queryOptions } from '@tanstack/react-query'
import type { Command } from '@caretaker/contract/lighting.ts'
import { getDeviceCommands } from '@caretaker/contract/calls/lighting.ts'
import { devicePoll } from '@caretaker/rules/devices/list.ts'
import { call } from './call.ts'
import { devicePageKey } from './device.ts'

/** The device's commands; while one is on its way they are asked for as often as the device itself. */
export const commandsQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'commands'],
    // What a light tells of its tests says whether it has done the one that it was asked for.
    meta: { shows: { subjects: ['device commands', 'device tests'], deviceId } },
    queryFn: ({ signal }) => call(getDeviceCommands, { body: { tenant, deviceId } }, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(isOnItsWay) ? devicePoll : false),
  })

export function isOnItsWay({ status }: Pick<Command, 'status'>): boolean {
  return status === 'queued' || status === 'sent'
}
