import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import {
  getCodecVersions,
  getConnectionMessages,
  getConnections,
  getMappingVersions,
  getModelSensors,
  getNewSensors,
  getSensorMapping,
  getSensorMessages,
  getSensorModels,
  getSetPoint,
} from '@caretaker/contract/calls/connections.ts'
import { call } from '../../api/call.ts'
import { devicePageKey } from '../../api/device.ts'
import type { MessageSearch } from './messages/message-place.ts'

/** The prefix of all query keys of this feature. */
const connectionsKey = (tenant: string) => [tenant, 'connections'] as const
const shows = { shows: { subjects: ['connection'] } } as const
/** Milliseconds between two refreshes: counts and health change with every message, without an event. */
const refetchInterval = 30_000

export const refreshConnections = (queryClient: QueryClient, tenant: string) =>
  queryClient.invalidateQueries({ queryKey: connectionsKey(tenant) })

export const connectionsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [...connectionsKey(tenant), 'list'],
    meta: shows,
    refetchInterval,
    queryFn: async ({ signal }) => (await call(getConnections, { params: { tenant } }, { signal })).results,
  })

/** New sensors, page by page. */
export const newSensorsQuery = (tenant: string, ignored: boolean) =>
  infiniteQueryOptions({
    queryKey: [...connectionsKey(tenant), 'new sensors', ignored],
    meta: shows,
    refetchInterval,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam: after }) =>
      call(
        getNewSensors,
        { params: { tenant }, query: { ...(ignored && { ignored: 'true' as never }), ...(after && { after }) } },
        { signal },
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  })

/** The sensors of a model, page by page. */
export const modelSensorsQuery = (tenant: string, modelId: string) =>
  infiniteQueryOptions({
    queryKey: [...connectionsKey(tenant), 'model sensors', modelId],
    meta: shows,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam: after }) =>
      call(getModelSensors, { params: { tenant, modelId }, query: after ? { after } : {} }, { signal }),
    getNextPageParam: ({ next }) => next ?? undefined,
  })

export const setPointQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'details', 'set point'],
    meta: { shows: { subjects: ['device state', 'device commands'], deviceId } },
    queryFn: ({ signal }) => call(getSetPoint, { params: { tenant, deviceId } }, { signal }),
  })

export const sensorModelsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [...connectionsKey(tenant), 'models'],
    meta: shows,
    queryFn: async ({ signal }) => (await call(getSensorModels, { params: { tenant } }, { signal })).results,
  })

export const mappingQuery = (tenant: string, modelId: string) =>
  queryOptions({
    queryKey: [...connectionsKey(tenant), 'mapping', modelId],
    meta: shows,
    queryFn: ({ signal }) => call(getSensorMapping, { params: { tenant, modelId } }, { signal }),
  })

export const mappingVersionsQuery = (tenant: string, modelId: string) =>
  queryOptions({
    queryKey: [...connectionsKey(tenant), 'mapping versions', modelId],
    meta: shows,
    queryFn: async ({ signal }) =>
      (await call(getMappingVersions, { params: { tenant, modelId } }, { signal })).results,
  })

export const codecsQuery = (tenant: string, modelId: string) =>
  queryOptions({
    queryKey: [...connectionsKey(tenant), 'codecs', modelId],
    meta: shows,
    queryFn: ({ signal }) => call(getCodecVersions, { params: { tenant, modelId } }, { signal }),
  })

/** The server accepts only these parts of the address. */
const asked = ({ result, rejected, search }: MessageSearch, after: string | undefined) => ({
  ...(result && { result }),
  ...(rejected && { rejected: 'true' as never }),
  ...(search && { search }),
  ...(after && { after }),
})

/** The messages of a connection, page by page. */
export const connectionMessagesQuery = (tenant: string, connectionId: string, search: MessageSearch) =>
  infiniteQueryOptions({
    queryKey: [...connectionsKey(tenant), 'messages', connectionId, asked(search, undefined)],
    meta: shows,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => ({
      modelId: null as string | null,
      ...(await call(
        getConnectionMessages,
        { params: { tenant, connectionId }, query: asked(search, pageParam) },
        { signal },
      )),
    }),
    getNextPageParam: ({ next }) => next ?? undefined,
  })

/** The messages of a device that is connected through a connection, page by page. */
export const sensorMessagesQuery = (tenant: string, deviceId: string, search: MessageSearch) =>
  infiniteQueryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'sensor messages', asked(search, undefined)],
    meta: { shows: { subjects: ['device state', 'device readings'], deviceId } },
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      call(getSensorMessages, { params: { tenant, deviceId }, query: asked(search, pageParam) }, { signal }),
    getNextPageParam: ({ next }) => next ?? undefined,
  })
