import type { FastifyInstance } from 'fastify'
import { exportPersonalDataReads, getPersonalDataReads } from '@caretaker/contract/reads.ts'
import { audit } from '../../audit/audit.ts'
import { sendTable } from '../../http/send-table.ts'
import { serveTenant } from '../../http/serve.ts'
import { oneOfFew } from '../../lists/export.ts'
import { zoneOf } from '../../lists/read.ts'
import { csvTable, csvType } from '../../spreadsheets/csv.ts'
import { readsFile } from './file.ts'
import { listReads, readPages } from './store.ts'
import { subjectOf } from './subject.ts'

/** The log of views of personal data, for managers. */
export function readRoutes(app: FastifyInstance): void {
  serveTenant(app, getPersonalDataReads, async ({ tx, actor, query: { page, pageSize, ...about } }) =>
    listReads(tx, await subjectOf(tx, actor, about), { page, pageSize }),
  )

  serveTenant(
    app,
    exportPersonalDataReads,
    async ({ tx, actor, person, query, reply }) => {
      const subject = await subjectOf(tx, actor, query)
      const zone = await zoneOf(tx)
      await audit(tx, { person, action: 'reads of personal data exported', subject: subject.audited })
      return oneOfFew(tx, person.id, () =>
        sendTable(
          reply,
          { name: 'who-looked.csv', type: csvType },
          csvTable(zone),
          readsFile(readPages(tx, subject), { isOfUser: subject.namesHomes === true }),
        ),
      )
    },
    'repeatable read',
  )
}
