import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import * as calls from '@caretaker/contract/connections.ts'
import { storedAtOnce } from '@caretaker/rules/connections/connections.ts'
import { openConnectorIntake } from '../../connectors/intake.ts'
import { openCodecs } from '../../connectors/codecs.ts'
import { downlinkTokenOwner } from '../../connectors/downlinks.ts'
import { storeWaiting } from '../../connectors/waiting.ts'
import { serveTenant, serveTenantInSteps } from '../../http/serve.ts'
import { seal } from '../../idp/sealed.ts'
import { inBatches } from '../../postgres/due.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { findDevice } from '../devices/store.ts'
import * as models from './models.ts'
import * as setPoints from './set-point.ts'
import * as sensors from './sensors.ts'
import * as service from './service.ts'
import { messageOf } from './shown.ts'
import * as store from './store.ts'
import { uplinkRoute } from './uplink.ts'

/** How long a shutdown waits for messages to be stored, in ms. */
const patience = 10_000

export function connectionRoutes(app: FastifyInstance): void {
  const { context } = app.services
  const codecs = openCodecs()
  const intake = openConnectorIntake(context, codecs.run)
  app.addHook('onClose', async () => {
    await intake.drain(patience)
    await codecs.close()
  })
  uplinkRoute(app, intake)

  serveTenant(app, calls.getConnections, async ({ tx }) => ({ results: await service.connections(tx, new Date()) }))
  serveTenant(app, calls.getConnection, async ({ tx, params }) =>
    service.connection(tx, params.connectionId, new Date()),
  )
  const sealed = async (tenant: string, id: string, token: string | undefined) => ({
    ...{
      id,
      downlinkToken: token && (await seal(context.idp, downlinkTokenOwner({ tenant, id }), Buffer.from(token))),
    },
  })
  serveTenantInSteps(app, calls.addConnection, async ({ authorise, inTx, tenant, body }) => {
    await authorise()
    const secrets = await sealed(tenant, randomUUID(), body.downlink?.token)
    return inTx((call) => service.addConnection(call, body, new Date(), secrets))
  })
  serveTenantInSteps(app, calls.updateConnection, async ({ authorise, inTx, tenant, body, params }) => {
    await authorise()
    const secrets = await sealed(tenant, params.connectionId, body.downlink?.token)
    return inTx((call) => service.updateConnection(call, params.connectionId, body, new Date(), secrets))
  })
  serveTenant(app, calls.pauseConnection, async (call) =>
    service.pauseConnection(call, call.params.connectionId, call.body.reason, new Date()),
  )
  serveTenant(app, calls.resumeConnection, async (call) =>
    service.resumeConnection(call, call.params.connectionId, new Date()),
  )
  serveTenant(app, calls.replaceConnectionKey, async (call) =>
    service.replaceKey(call, call.params.connectionId, new Date()),
  )
  serveTenant(app, calls.deleteConnection, async (call) => service.deleteConnection(call, call.params.connectionId))
  serveTenant(app, calls.getConnectionTest, async ({ tx, params, query }) =>
    service.testConnection(tx, params.connectionId, query.since ? new Date(query.since) : undefined, new Date()),
  )

  serveTenant(app, calls.getConnectionMessages, async ({ tx, actor, params: { connectionId }, query }) => {
    await service.expectConnection(tx, connectionId)
    const { rows, ...page } = await store.messagePage(tx, { connectionId }, query)
    return { results: rows.map((row) => messageOf(row, actor)), ...page }
  })
  serveTenant(app, calls.getSensorMessages, async ({ tx, actor, params: { deviceId }, query }) => {
    await findDevice(tx, actor, deviceId)
    const { rows, ...page } = await store.messagePage(tx, { deviceId }, query)
    return {
      results: rows.map((row) => messageOf(row, actor)),
      ...page,
      modelId: await store.modelOfDevice(tx, deviceId),
    }
  })

  serveTenant(app, calls.getSetPoint, async (call) =>
    setPoints.setPointOf(call, call.params.deviceId, call.context.config),
  )
  serveTenant(app, calls.changeSetPoint, async (call) => {
    const { deviceId } = call.params
    const commandId = await setPoints.changeSetPoint(call, deviceId, call.body.setPoint, call.context.config)
    return { status: 'queued' as const, commandId }
  })

  serveTenant(app, calls.getNewSensors, async ({ tx, query }) => sensors.newSensors(tx, query))
  /**
   * Stores the messages of added sensors in bounded transactions. If this is cut off, the job stores the rest: the sensors are added
   * already.
   */
  const storeAll = async (tenant: string, added: readonly sensors.Added[]) => {
    const ids = added.map(({ sensorId }) => sensorId)
    try {
      await inBatches(() => inTenant(context.db, tenant, (tx) => storeWaiting(tx, ids, new Date())), storedAtOnce)
    } catch (error) {
      context.log.warn({ err: error, tenant }, 'messages of added sensors are not stored yet')
    }
  }
  serveTenantInSteps(app, calls.addSensors, async ({ inTx, tenant, body }) => {
    const added = await inTx((call) => sensors.addSensors(call, body.propertyId, body.sensors, new Date()))
    await storeAll(tenant, added)
    return { added }
  })
  serveTenant(app, calls.undoAddSensors, async (call) => ({
    undone: await sensors.undoAddSensors(call, call.body.sensorIds, new Date()),
  }))
  serveTenant(app, calls.ignoreSensors, async (call) => ({
    ignored: await sensors.ignoreSensors(call, call.body.sensorIds, new Date()),
  }))
  serveTenant(app, calls.restoreSensors, async (call) => ({
    restored: await sensors.restoreSensors(call, call.body.sensorIds),
  }))
  serveTenant(app, calls.chooseSensorModel, async (call) => ({
    modelId: await sensors.chooseModel(call, call.body.sensorIds, call.body.maker, call.body.model),
  }))
  serveTenantInSteps(app, calls.importSensors, async ({ inTx, tenant, body }) => {
    const added = await inTx((call) => sensors.importSensors(call, body.connectionId, body.sensors, new Date()))
    await storeAll(tenant, added)
    return { added }
  })

  serveTenant(app, calls.getSensorModels, async ({ tx }) => ({ results: await models.sensorModels(tx) }))
  serveTenant(app, calls.getModelSensors, async ({ tx, params, query }) =>
    models.modelSensors(tx, params.modelId, query.after),
  )
  serveTenant(app, calls.getSensorMapping, async ({ tx, params }) => models.mapping(tx, params.modelId))
  serveTenant(app, calls.saveSensorMapping, async (call) =>
    models.saveMapping(call, call.params.modelId, call.body, new Date()),
  )
  serveTenant(app, calls.restoreMappingSuggestions, async (call) =>
    models.restoreSuggestions(call, call.params.modelId, new Date()),
  )
  serveTenant(app, calls.getMappingVersions, async ({ tx, params }) => models.mappingVersions(tx, params.modelId))
  serveTenant(app, calls.restoreMappingVersion, async (call) =>
    models.restoreVersion(call, call.params.modelId, call.params.version, new Date()),
  )

  serveTenant(app, calls.getCodecVersions, async ({ tx, params }) => models.codecs(tx, params.modelId))
  serveTenant(app, calls.saveCodecVersion, async (call) =>
    models.saveCodec(call, call.params.modelId, call.body.source, new Date()),
  )
  serveTenantInSteps(app, calls.tryCodecVersion, async ({ inTx, tenant, params: { modelId, version } }) => {
    const trial = await inTx(({ tx }) => models.trialOf(tx, modelId, version))
    const result = await models.runTrial(codecs.run, tenant, trial)
    await inTx(({ tx }) => models.recordTrial(tx, modelId, version, new Date()))
    return result
  })
  serveTenant(app, calls.activateCodecVersion, async (call) =>
    models.activateCodec(call, call.params.modelId, call.params.version, new Date()),
  )
  serveTenant(app, calls.rollBackCodec, async (call) => models.rollBack(call, call.params.modelId, new Date()))
  serveTenantInSteps(app, calls.decodeMessagesAgain, async ({ inTx, tenant, params: { modelId }, query }) => {
    const { messages, next } = await inTx(({ tx }) => models.notDecoded(tx, modelId, query.after))
    const decoded = await models.decodeAll(codecs.run, tenant, messages)
    return { ...(await inTx((call) => models.storeDecoded(call, modelId, decoded, new Date()))), next }
  })
}
