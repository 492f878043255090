import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Db } from '@caretaker/server/postgres/pool.ts'
import { releaseMails } from '@caretaker/server/mail/deliver.ts'
import type { MailServer } from '@caretaker/server/testing/mail-server.ts'
import { mailServer } from '@caretaker/server/testing/mail-server.ts'
import { furnish } from './alerts-estate.ts'
import { caughtUp, startSpeakers, startWorker } from './alerts-parts.ts'

/** A notification that has not arrived after this many ms counts as lost. */
const mostPatience = 8 * 60_000
/** The longest time in ms that a worker runs before it is killed. */
const longestLife = 1000
const tenant = 'south'
/** The number of devices that fail for each kill. */
const each = 20

interface Given {
  url: string
  owner: pg.Pool
  db: Db
  port: number
  /** The number of concurrent sign-ins. */
  atOnce: number
  kills: number
}

export interface Killed {
  kills: number
  /** The number of failures that a rule covers. */
  failures: number
  /** The number of different e-mails that the mail server received. */
  mails: number
  /** Failures without an e-mail, and failures with two. */
  lost: number
  doubled: number
  /** E-mails that match no known failure. */
  unknown: number
  /**
   * E-mails that were being sent when the worker was killed, and arrived again under the same message id, so that
   * recipients can recognise them.
   */
  cameTwice: number
}

/**
 * Devices fail, two rules each send an e-mail at once, and the worker that evaluates and sends is killed at random moments, while
 * another one takes over. The mail server counts what arrives.
 */
export async function killing({ url, owner, db, port, atOnce, kills }: Given): Promise<Killed> {
  const devices = Math.max(1, kills) * each
  const gateways = await furnish(owner, {
    ...{ tenant, devices, gateways: 10, definitions: 40, rulesOfDevice: 2, delay: 0 },
  })
  const server = await mailServer()
  const speakers = await startSpeakers({ port, atOnce, gateways })
  // Alerts are sent at once, and their end is never sent.
  const pace = { CARETAKER_ALERT_WAIT: '0', CARETAKER_ALERT_INTERVAL: '0', CARETAKER_ALERT_CLEAR: '86400' }
  const settings = { SMTP_URL: server.url, ...pace }
  const inbox = openInbox(server)
  try {
    let worker = await startWorker({ url, settings, claimant: 1 })
    await caughtUp(owner, tenant, new Date())
    for (let time = 0; time < kills; time++) {
      await speakers.send({ messages: each, perSecond: each * 10 })
      await sleep(Math.random() * longestLife)
      const next = startWorker({ url, settings, claimant: time + 2 })
      // Kills the worker while the next one starts, or once the next one is running.
      if (time % 2) await sleep(Math.random() * longestLife)
      else await next
      await worker.kill()
      // Releases the e-mails that the killed worker had claimed, as the other workers do after some minutes.
      await releaseMails({ db }, [time + 1])
      worker = await next
    }
    if (!kills) await speakers.send({ messages: each, perSecond: each * 10 })
    let found = await count(owner, inbox)
    for (const end = Date.now() + mostPatience; found.lost && Date.now() < end; found = await count(owner, inbox))
      await sleep(1000)
    // A duplicate may arrive later.
    await sleep(5000)
    found = await count(owner, inbox)
    await worker.kill()
    return { kills, ...found }
  } finally {
    await speakers.stop()
    await server.close()
  }
}

/** Counts how often each message id arrived. */
function openInbox(server: MailServer) {
  const came = new Map<string, number>()
  return () => {
    for (const message of server.received.splice(0)) {
      const id = /^message-id: <([^@>]+)@/im.exec(message)?.[1] ?? `none ${came.size}`
      came.set(id, (came.get(id) ?? 0) + 1)
    }
    return came
  }
}

async function count(owner: pg.Pool, inbox: ReturnType<typeof openInbox>): Promise<Omit<Killed, 'kills'>> {
  const came = inbox()
  const { rows: failures } = await owner.query<{ mails: string[] }>(
    `select array_remove(array_agg(distinct alert_mail.mail_id::text), null) as mails
     from device join device_tag on device_tag.tenant_id = $1 and device_tag.device_id = device.id
     join alert_definition as rule on rule.tenant_id = $1 and rule.tag_id = device_tag.tag_id
     left join alert on alert.tenant_id = $1 and alert.definition_id = rule.id and alert.device_id = device.id
     left join alert_mail on alert_mail.tenant_id = $1 and alert_mail.alert_id = alert.id
     where device.tenant_id = $1 and device.reported ->> 'faultCode' is not null
     group by device.id, rule.id`,
    [tenant],
  )
  const known = new Set(failures.flatMap(({ mails }) => mails))
  const arrived = failures.map(({ mails }) => mails.filter((id) => came.has(id)).length)
  return {
    failures: failures.length,
    mails: came.size,
    lost: arrived.filter((times) => times === 0).length,
    doubled: arrived.filter((times) => times > 1).length,
    unknown: [...came.keys()].filter((id) => !known.has(id)).length,
    cameTwice: [...came.values()].reduce((sum, times) => sum + times - 1, 0),
  }
}
