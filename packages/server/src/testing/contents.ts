import { createHash } from 'node:crypto'
import pg from 'pg'
import { openArchive } from '../backup/archive.ts'
import { tablesIn } from '../backup/catalog.ts'
import { readManifest } from '../backup/manifest.ts'

/** The content of a database by table: the number of rows and a hash. With `tenant`, of that tenant only. */
export async function contentsOf(owner: pg.Pool, tenant?: string): Promise<Record<string, string>> {
  const client = await owner.connect()
  try {
    const contents: Record<string, string> = {}
    for (const { name, quoted, namesTenant, columns } of await tablesIn(client)) {
      if (tenant !== undefined && !namesTenant) continue
      // A position in the change feed is specific to a server.
      const compared = columns.filter((column) => `${name}.${column}` !== 'public.alert_progress.position')
      const { rows } = await client.query<{ rows: string }>(
        `select count(*) || ' rows ' || coalesce(md5(string_agg(one::text, ' ' order by one::text)), '') as rows
         from (select ${compared.map((column) => pg.escapeIdentifier(column)).join(', ')} from ${quoted}
           where ${tenant === undefined ? 'true' : `tenant_id = ${pg.escapeLiteral(tenant)}`}) as one`,
      )
      contents[name] = rows[0]!.rows
    }
    return contents
  } finally {
    client.release()
  }
}

/** The content of a backup by part, independent of row order. */
export async function contentsOfBackup(file: string): Promise<Record<string, string>> {
  const archive = await openArchive(file)
  try {
    await archive.check()
    const { parts } = await readManifest(archive)
    const contents: Record<string, string> = {}
    for (const name of archive.names) {
      if (!parts.some((part) => part.name === name) && !name.startsWith('files/')) continue
      const content = Buffer.concat((await (await archive.read(name)).toArray()) as Buffer[])
      const lines = name.startsWith('files/') ? content : content.toString().split('\n').sort().join('\n')
      contents[name] = createHash('sha256').update(lines).digest('hex')
    }
    return contents
  } finally {
    archive.close()
  }
}
