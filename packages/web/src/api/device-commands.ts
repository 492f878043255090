import { queryOptions } from '@tanstack/react-query'
import type { Command } from '@caretaker/contract/lighting.ts'
import { getDeviceCommands } from '@caretaker/contract/calls/lighting.ts'
import { devicePoll } from '@caretaker/rules/devices/list.ts'
import { call } from './call.ts'
import { devicePageKey } from './device.ts'

/** The commands of a device; polled like the device while one is pending. */
export const commandsQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'commands'],
    // A light confirms a test command through its test reports.
    meta: { shows: { subjects: ['device commands', 'device tests'], deviceId } },
    queryFn: ({ signal }) => call(getDeviceCommands, { body: { tenant, deviceId } }, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(isUnanswered) ? devicePoll : false),
  })

export function isUnanswered({ status }: Pick<Command, 'status'>): boolean {
  return status === 'queued' || status === 'sent'
}
