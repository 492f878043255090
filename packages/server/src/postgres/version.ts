import { SettingError } from '../config.ts'

/**
 * The first safe minor version of each major: CVE-2025-8713 (August 2025) let a user read sampled values of rows
 * hidden by row security, through planner statistics. Every 18 has the fix.
 */
const firstSafe = [
  { major: 15, minor: 14 },
  { major: 16, minor: 10 },
  { major: 17, minor: 6 },
]
const oldest = firstSafe[0]!

/**
 * Throws a SettingError if tenants would not be isolated on this server.
 *
 * @param serverVersionNum the server's `server_version_num`, for example 160010 for 16.10
 */
export function checkPostgresVersion(serverVersionNum: number): void {
  const major = Math.floor(serverVersionNum / 10_000)
  const minor = serverVersionNum % 10_000
  if (major < oldest.major) {
    throw new SettingError(
      `PostgreSQL ${versionName(serverVersionNum)} is too old: ${oldest.major}.${oldest.minor} or newer is needed`,
    )
  }
  const safe = firstSafe.find((version) => version.major === major)
  if (safe && minor < safe.minor) {
    throw new SettingError(
      `PostgreSQL ${major}.${minor} lets rows leak through row security (CVE-2025-8713): ` +
        `${major}.${safe.minor} or newer is needed, update the database server`,
    )
  }
}

/** Before version 10 the major version had two parts: 90624 is 9.6.24. */
function versionName(number: number): string {
  if (number >= 100_000) return `${Math.floor(number / 10_000)}.${number % 10_000}`
  return [Math.floor(number / 10_000), Math.floor(number / 100) % 100, number % 100].join('.')
}
