import { createReadStream } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { ofGrid } from '@caretaker/rules/postcodes/grid.ts'
import { postcodeOf } from '@caretaker/rules/postcodes/postcode.ts'

/** A file that is no list of post codes, said in one line. */
export class NoPostcodes extends Error {
  override name = 'NoPostcodes'
}

interface Row {
  postcode: string
  lat: number
  lng: number
}

/** Where the columns are of which a place is made; undefined for a row that has none. */
type Reader = (cells: readonly string[]) => Row | undefined

/**
 * By the columns that the ONS Postcode Directory and the National Statistics Postcode Lookup publish: `pcds`, `doterm` (the month in
 * which a code ended), `lat` and `long`; 99.999999 stands for no position.
 */
function onsReader(head: readonly string[]): Reader | undefined {
  const at = (name: string) => head.findIndex((cell) => cell.trim().toLowerCase() === name)
  const [code, ended, lat, long] = [at('pcds'), at('doterm'), at('lat'), at('long')]
  if (code < 0 || lat < 0 || long < 0) return undefined
  return (cells) => {
    if (ended >= 0 && cells[ended]?.trim()) return undefined
    return rowOf(cells[code], Number(cells[lat]), Number(cells[long]))
  }
}

/** Code-Point Open has no head: post code, quality (90: no position), easting, northing in metres of the National Grid. */
const codePointReader: Reader = ([code, quality, east, north]) => {
  if (quality?.trim() === '90') return undefined
  const place = { east: Number(east), north: Number(north) }
  if (!(place.east > 0) || !(place.north > 0)) return undefined
  const { lat, lng } = ofGrid(place)
  return rowOf(code, lat, lng)
}

function rowOf(code: string | undefined, lat: number, lng: number): Row | undefined {
  const postcode = postcodeOf(code ?? '')
  // The islands of Britain: what lies elsewhere is a column taken for another, or no position.
  const isHere = lat > 49 && lat < 61.5 && lng > -9 && lng < 2.5
  return postcode && isHere ? { postcode: postcode.text, lat, lng } : undefined
}

async function* rowsOf(file: string): AsyncGenerator<Row> {
  const name = path.basename(file)
  const source = createReadStream(file)
  const parser = source.pipe(parse({ bom: true, relax_column_count: true, skip_empty_lines: true }))
  source.on('error', (error) => parser.destroy(error))
  let read: Reader | undefined
  let found = false
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (!read) {
        read = onsReader(cells) ?? (postcodeOf(cells[0] ?? '') && codePointReader)
        if (!read)
          throw new NoPostcodes(`${name} has neither the columns pcds, lat and long nor those of Code-Point Open.`)
        if (read !== codePointReader) continue
      }
      const row = read(cells)
      if (!row) continue
      found = true
      yield row
    }
  } catch (error) {
    if (error instanceof NoPostcodes) throw error
    throw new NoPostcodes(`${name} cannot be read: ${(error as Error).message}`)
  }
  if (!found) throw new NoPostcodes(`${name} has no live post code with a position.`)
}

/** Lines that are sent at once: one by one they would take longer to send than to write. */
const linesAtOnce = 1000

/** All post codes of files as the database's COPY reads them; nothing in a row has to be escaped. */
async function* copyText(files: readonly string[]): AsyncGenerator<string> {
  let lines: string[] = []
  for (const file of files)
    for await (const { postcode, lat, lng } of rowsOf(file)) {
      if (lines.push(`${postcode}\t${lat}\t${lng}\n`) < linesAtOnce) continue
      yield lines.join('')
      lines = []
    }
  yield lines.join('')
}

/**
 * Brings in all post codes of these files in one transaction, in place of those that were brought in before. Gives how many
 * there are now, and how many of them are new or have moved. Until it ends, calls are answered from what was there.
 */
export async function importPostcodes(
  owner: pg.Pool,
  files: readonly string[],
): Promise<{ postcodes: number; changed: number; gone: number }> {
  const client = await owner.connect()
  try {
    await client.query('begin')
    await client.query(`create temporary table staged (
      postcode text, latitude double precision, longitude double precision) on commit drop`)
    await pipeline(copyText(files), client.query(copyFrom('copy staged from stdin')))
    await client.query('analyze staged')
    // Of a code that comes twice the first holds.
    await client.query(
      `delete from staged using (select postcode, min(ctid) as first from staged group by postcode having count(*) > 1) twice
       where staged.postcode = twice.postcode and staged.ctid <> twice.first`,
    )
    // Read and deleted apart: a distributed database deletes from a shared table by no table of one machine.
    const { rows: gone } = await client.query<{ postcode: string }>(
      'select postcode from postcode except select postcode from staged',
    )
    await client.query('delete from postcode where postcode = any($1)', [gone.map(({ postcode }) => postcode)])
    // Chosen before they are written: a distributed database counts those too that a conflict leaves alone.
    const changed = await client.query(
      `insert into postcode select postcode, staged.latitude, staged.longitude from staged left join postcode using (postcode)
         where (postcode.latitude, postcode.longitude) is distinct from (staged.latitude, staged.longitude)
       on conflict (postcode) do update set latitude = excluded.latitude, longitude = excluded.longitude`,
    )
    const { rows } = await client.query<{ postcodes: string }>('select count(*) as postcodes from staged')
    await client.query('commit')
    await client.query('analyze postcode')
    return { postcodes: Number(rows[0]!.postcodes), changed: changed.rowCount ?? 0, gone: gone.length }
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
