import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, test } from 'vitest'
import { explainFullDisk, firstError, recentLackIn } from './full-disk.ts'

const dataDir = mkdtempSync(path.join(tmpdir(), 'caretaker-full-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))
const here = { dataDir, databaseUrl: undefined }
const disk = `The disk is full: make room in the data folder ${dataDir}, then start again.`
const memory =
  'Shared memory is full: increase it for the database (/dev/shm; in a container --shm-size), then start again.'

/** The output of initdb on a file system of 20 MB. */
const outputOf20MB = `creating configuration files ... ok
running bootstrap script ... 2026-11-28 17:06:52.789 UTC [7355] FATAL:  could not extend file "base/1/2691": No space left on device
2026-11-28 17:06:52.789 UTC [7355] HINT:  Check free disk space.
2026-11-28 17:06:52.789 UTC [7355] PANIC:  cannot abort transaction 1, it was already committed
Aborted
child process exited with exit code 134
initdb: removing data directory "/disk/cluster"
`

test('a line about missing space is the reason, otherwise the first error, whatever follows', () => {
  const removed = 'initdb: removing data directory "cluster"\n'
  for (const [output, line] of [
    [outputOf20MB, 'FATAL:  could not extend file "base/1/2691": No space left on device'],
    // The output of initdb of PostgreSQL 18 on a damaged installation.
    [
      `initdb: error: file "/pg/postgres.bki" does not exist\ninitdb: hint: This might mean you have a corrupted installation.\n${removed}`,
      'initdb: error: file "/pg/postgres.bki" does not exist',
    ],
    [
      '/pg/bin/postgres: error while loading shared libraries: libicui18n.so.60: cannot open shared object file\n' +
        'no data was returned by command "/pg/bin/postgres -V"\ncommand not found\n' +
        'initdb: error: program "postgres" is needed by initdb but was not found in the same directory as "/pg/bin/initdb"\n',
      '/pg/bin/postgres: error while loading shared libraries: libicui18n.so.60: cannot open shared object file',
    ],
    [
      '2026-11-28 20:10:38.925 GMT [10899] LOG:  syntax error in file "cluster/postgresql.conf" line 889, near end of line\n' +
        '2026-11-28 20:10:38.925 GMT [10899] FATAL:  configuration file "cluster/postgresql.conf" contains errors\n' +
        `child process exited with exit code 1\n${removed}`,
      'LOG:  syntax error in file "cluster/postgresql.conf" line 889, near end of line',
    ],
    [
      `initdb: warning: enabling "trust" authentication\nchild process was terminated by signal 9: Killed\n${removed}`,
      'child process was terminated by signal 9: Killed',
    ],
    [
      'postgres: could not find the database system\nExpected to find it in the directory "/data",\n' +
        'but could not open file "/data/global/pg_control": No such file or directory\n',
      'postgres: could not find the database system Expected to find it in the directory "/data", but could not open file "/data/global/pg_control": No such file or directory',
    ],
    ['a [1]\nx FATAL:  the folder is wrong\nFATAL:  shutting down\ndone', 'x FATAL:  the folder is wrong'],
    [
      '2026-11-28 17:06:52.788 UTC [7] LOG:  starting\n2026-11-28 17:06:52.789 UTC [7] LOG:  started\n',
      'LOG:  started',
    ],
    ['', 'no reason given'],
  ])
    assert.equal(firstError(output!), line)
})

test('every Postgres error about missing space is recognised as a full disk or full shared memory', () => {
  const failure = (message: string, more: object = {}) => Object.assign(new Error(message), more)
  for (const [error, explanation] of [
    [failure(`The database cannot be made in x: ${firstError(outputOf20MB)}`), disk],
    [failure('could not extend file "base/5/1": wrote only 4096 of 8192 bytes at block 7'), disk],
    [failure('could not write to file "pg_wal/xlogtemp.9": Disk quota exceeded'), disk],
    [failure('whatever', { code: '53100' }), disk],
    [failure('write failed', { code: 'ENOSPC' }), disk],
    [failure('outer', { cause: failure('inner', { code: 'EDQUOT' }) }), disk],
    [new AggregateError([failure('inner', { code: '53100' })], 'several'), disk],
    [failure('could not resize shared memory segment "/PostgreSQL.5" to 8 bytes: No space left on device'), memory],
    [failure('could not create shared memory segment: No space left on device'), memory],
    [failure('permission denied', { code: '42501' }), undefined],
    ['no error', undefined],
  ] as const)
    assert.equal(explainFullDisk(error, here), explanation)
  assert.equal(
    explainFullDisk(failure('x', { code: '53100' }), { dataDir, databaseUrl: 'postgres://db.example/caretaker' }),
    'The disk is full: make room for the database, then start again.',
  )
})

test('when the server has gone away, a recent line of its log gives the reason', () => {
  const at = (ms: number) => new Date(Date.now() - ms).toISOString().replace('T', ' ').replace('Z', ' UTC')
  const lack = (ms: number) =>
    `${at(ms)} [12] PANIC:  could not write to file "pg_wal/xlogtemp.12": No space left on device`
  const log = (...lines: string[]) => writeFileSync(path.join(dataDir, 'postgres.log'), `${lines.join('\n')}\n`)
  const gone = new Error('Connection terminated unexpectedly')
  // Connections are refused during recovery, after the line that gives the reason.
  log(lack(3000), `${at(2000)} [13] FATAL:  the database system is in recovery mode`, `${at(1000)} [1] LOG:  shut down`)
  assert.equal(explainFullDisk(gone, here), disk)
  assert.equal(explainFullDisk(new Error('syntax error'), here), undefined, 'of another failure it is no reason')
  log(lack(120_000), `${at(1000)} [14] FATAL:  terminating connection due to administrator command`)
  assert.equal(explainFullDisk(gone, here), undefined, 'it was full once')
  rmSync(path.join(dataDir, 'postgres.log'))
  assert.equal(explainFullDisk(gone, here), undefined)
  assert.equal(recentLackIn(lack(0), new Date(Date.now() + 59_000)) !== undefined, true)
})
