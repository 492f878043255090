import { createReadStream } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { ofGrid } from '@caretaker/rules/postcodes/grid.ts'
import { postcodeOf } from '@caretaker/rules/postcodes/postcode.ts'

/** The file is not a postcode list; the reason in one line. */
export class NoPostcodes extends Error {
  override name = 'NoPostcodes'
}

interface Row {
  postcode: string
  lat: number
  lng: number
}

/** Reads the place from a row's cells; undefined for a row without one. */
type Reader = (cells: readonly string[]) => Row | undefined

/**
 * By the column names of the ONS Postcode Directory and the National Statistics Postcode Lookup: `pcds`, `doterm`
 * (the month in which a postcode was terminated), `lat` and `long`; 99.999999 means no position.
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

/**
 * Code-Point Open has no header: postcode, quality (90: no position), easting, northing in metres of the National
 * Grid.
 */
const codePointReader: Reader = ([code, quality, east, north]) => {
  if (quality?.trim() === '90') return undefined
  const place = { east: Number(east), north: Number(north) }
  if (!(place.east > 0) || !(place.north > 0)) return undefined
  const { lat, lng } = ofGrid(place)
  return rowOf(code, lat, lng)
}

function rowOf(code: string | undefined, lat: number, lng: number): Row | undefined {
  const postcode = postcodeOf(code ?? '')
  // The British Isles: a position elsewhere is a misread column or missing.
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
  if (!found) throw new NoPostcodes(`${name} has no live postcode with a position.`)
}

/** Lines sent at once: sending single lines would take longer than writing them. */
const linesAtOnce = 1000

/** All postcodes of the files in COPY format; nothing in a row needs escaping. */
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
 * Imports all postcodes of these files in one transaction, replacing those of the last import. Returns how many there
 * are, and how many are new or have moved. Until it ends, lookups use the former ones.
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
    // Of two entries, the first is used.
    await client.query(
      `delete from staged using (select postcode, min(ctid) as first from staged group by postcode having count(*) > 1) twice
       where staged.postcode = twice.postcode and staged.ctid <> twice.first`,
    )
    // Read and deleted separately: a distributed database cannot delete from a shared table using a local one.
    const { rows: gone } = await client.query<{ postcode: string }>(
      'select postcode from postcode except select postcode from staged',
    )
    await client.query('delete from postcode where postcode = any($1)', [gone.map(({ postcode }) => postcode)])
    // Selected before they are written: a distributed database also counts rows that a conflict leaves unchanged.
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
