import type { Kysely } from 'kysely'
import { sql } from 'kysely'

const address = ['address1', 'address2', 'address3', 'town', 'county']
  .map((part) => `case when ${part} = '' then '' else ', ' || ${part} end`)
  .join(' || ')

const apostrophes = String.raw`\u2018\u2019\u201B\u02BB\u02BC\u02B9\u2032`
const invisible = String.raw`\u00AD\u200B\u200C\u200D\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2060\u2066\u2067\u2068\u2069\uFEFF`
const dashes = String.raw`\u2010\u2011\u2012\u2013\u2014\u2015\u2212`
const strokes = String.raw`\u00F8\u0142\u0111\u00F0\u0127\u0167\u0131\u03C2`

/** Bytes of each form: an index entry, of 2,704 bytes at most, can hold both beside its other columns. */
const most = 1150

/** A form is longer than its text where one sign stands for a word, as in \u{FDFA}: then the form is cut off. */
const formOf = (text: string) => `case when octet_length(search_form(${text})) <= ${most} then search_form(${text})
  else left(search_form(${text}), ${Math.floor(most / 4)}) end`

/**
 * How texts are searched and ordered. `search_form` writes a text without regard to case, accents and apostrophes, as
 * `rules/texts/search-form.ts` does. It needs no extension, since managed databases may lack one, and reads nothing, so that other machines of
 * a distributed database can run it. Most texts are of ASCII alone and take the short way. The collation orders numbers as numbers.
 * The stored forms of homes write the table anew, seconds for 200,000 of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`create collation if not exists natural_order (provider = icu, locale = 'en-GB-u-kn-true')`)
  await run(`create function search_form(given text) returns text
    language plpgsql immutable strict parallel safe as $$
    begin
      if octet_length(given) = char_length(given) then
        return replace(translate(lower(given collate "C"), E',;\\t\\n\\r''\`', '     '), '  ', ' ');
      end if;
      return normalize(replace(replace(replace(replace(replace(translate(
        lower(regexp_replace(normalize(translate(given, E'\\u00B4', ''), NFKD), E'[\\u0300-\\u036F]', '', 'g') collate "und-x-icu"),
        E',;\\t\\n\\r${dashes}${strokes}''\`${apostrophes}${invisible}', E'     -------olddhti\\u03C3'),
        E'\\u00DF', 'ss'), E'\\u00E6', 'ae'), E'\\u0153', 'oe'), E'\\u00FE', 'th'), '  ', ' '), NFKC);
    end $$`)
  await run(`alter table property
    add column search_form text not null
      generated always as (${formOf(`reference || e'\\n' || postcode || e'\\n' || substr(${address}, 3)`)}) stored,
    add column search_form_reference text not null generated always as (${formOf('reference')}) stored`)
}
