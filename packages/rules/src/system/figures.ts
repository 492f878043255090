/** The unit of a figure. */
export type FigureUnit = 'seconds' | 'count' | 'share' | 'bytes' | 'yes'

/** How values of several processes are combined. */
export type Together = 'most' | 'least' | 'sum'

interface FigureDefinition {
  /** The metric's name in /metrics. */
  metric: string
  /** The label that distinguishes figures of one metric in /metrics. */
  part?: 'api' | 'ingest' | 'worker'
  label: string
  unit: FigureUnit
  /** Alert threshold: above `most` or below `least`. Figures without either are informative only. */
  most?: number
  least?: number
  /** The rule in deploy/prometheus/alerts.yml, and the heading in docs/operations.md with the remedy. */
  alert?: string
  /** How the values of processes are combined; other figures are the same in every process. */
  together?: Together
  /** The meaning in one sentence. */
  meaning: string
}

/**
 * The figures that show whether an installation works: in /metrics, on the system page, and in the alert rules, with
 * the same thresholds in all three.
 */
export const systemFigures = {
  database: {
    metric: 'caretaker_database_up',
    label: 'Database answers',
    unit: 'yes',
    least: 1,
    alert: 'CaretakerDatabaseAway',
    meaning: 'Whether the database answers this process.',
  },
  broker: {
    metric: 'caretaker_broker_up',
    label: 'Broker answers',
    unit: 'yes',
    together: 'least',
    least: 1,
    alert: 'CaretakerBrokerAway',
    meaning: 'Whether each ingest has a session with the MQTT broker.',
  },
  apiSeen: {
    metric: 'caretaker_part_seen_seconds',
    part: 'api',
    label: 'API process last seen',
    unit: 'seconds',
    most: 60,
    alert: 'CaretakerApiGone',
    meaning: 'Time since an API process was last seen.',
  },
  ingestSeen: {
    metric: 'caretaker_part_seen_seconds',
    part: 'ingest',
    label: 'Ingest process last seen',
    unit: 'seconds',
    most: 60,
    alert: 'CaretakerIngestGone',
    meaning: 'Time since an ingest process was last seen.',
  },
  workerSeen: {
    metric: 'caretaker_part_seen_seconds',
    part: 'worker',
    label: 'Worker process last seen',
    unit: 'seconds',
    most: 60,
    alert: 'CaretakerWorkerGone',
    meaning: 'Time since a worker process was last seen.',
  },
  unacknowledged: {
    metric: 'caretaker_oldest_unacknowledged_seconds',
    label: 'Oldest unacknowledged message',
    unit: 'seconds',
    together: 'most',
    most: 30,
    alert: 'CaretakerMessagesUnacknowledged',
    meaning: 'How long the oldest device message has been waiting to be stored.',
  },
  waiting: {
    metric: 'caretaker_messages_waiting',
    label: 'Messages waiting',
    unit: 'count',
    together: 'sum',
    meaning: 'Device messages that were received and are not stored yet.',
  },
  feedLag: {
    metric: 'caretaker_change_feed_lag_seconds',
    label: 'Lag of the change feed',
    unit: 'seconds',
    together: 'most',
    most: 10,
    alert: 'CaretakerChangeFeedBehind',
    meaning: 'How long open pages have been waiting for an announced change.',
  },
  lastJob: {
    metric: 'caretaker_last_job_seconds',
    label: 'Last job ended',
    unit: 'seconds',
    most: 300,
    alert: 'CaretakerWorkerSilent',
    meaning: 'Time since the last background job ended; several end every minute.',
  },
  failedJobs: {
    metric: 'caretaker_jobs_failed',
    label: 'Jobs failed within an hour',
    unit: 'count',
    most: 0,
    alert: 'CaretakerJobsFailing',
    meaning: 'Runs of background jobs that ended with an error.',
  },
  mails: {
    metric: 'caretaker_mails_waiting',
    label: 'E-mails waiting',
    unit: 'count',
    meaning: 'E-mails that are not sent yet.',
  },
  lateMails: {
    metric: 'caretaker_oldest_mail_due_seconds',
    label: 'Longest overdue e-mail',
    unit: 'seconds',
    most: 900,
    alert: 'CaretakerMailsLate',
    meaning: 'How long the longest overdue e-mail has been waiting for a delivery attempt.',
  },
  mailTries: {
    metric: 'caretaker_mail_tries',
    label: 'Attempts for one e-mail',
    unit: 'count',
    most: 4,
    alert: 'CaretakerMailsRefused',
    meaning: 'The highest number of failed attempts for a waiting e-mail; it is given up after twelve.',
  },
  diskFree: {
    metric: 'caretaker_disk_free_ratio',
    label: 'Free disk space',
    unit: 'share',
    least: 0.1,
    alert: 'CaretakerDiskFilling',
    meaning: 'Free share of the disk with the data folder.',
  },
  databaseSize: {
    metric: 'caretaker_database_bytes',
    label: 'Database size',
    unit: 'bytes',
    meaning: 'The size of the database on disk, including indexes.',
  },
} as const satisfies Record<string, FigureDefinition>

export type SystemFigure = keyof typeof systemFigures
export const systemFigureNames = Object.keys(systemFigures) as SystemFigure[]

/** How the values of processes are combined; undefined if they are the same in every process. */
export const togetherOf = (name: SystemFigure): Together | undefined =>
  (systemFigures[name] as FigureDefinition).together

/** The part that a figure concerns, if its metric has one per part. */
export const partOf = (name: SystemFigure): FigureDefinition['part'] => (systemFigures[name] as FigureDefinition).part

/** Whether a figure exceeds its threshold; unknown figures do not. */
export function isOverBound(name: SystemFigure, value: number | null): boolean {
  const { most, least }: FigureDefinition = systemFigures[name]
  if (value === null) return false
  return (most !== undefined && value > most) || (least !== undefined && value < least)
}

const secondsIn = { day: 86_400, hour: 3600, minute: 60 }

/** A figure for display: '12 s', '5 min', '34 %', '1.2 GB', 'Yes'. */
export function figureText(unit: FigureUnit, value: number): string {
  if (unit === 'yes') return value ? 'Yes' : 'No'
  if (unit === 'share') return `${Math.floor(value * 100)} %`
  if (unit === 'bytes') return sizeText(value)
  if (unit === 'count') return value.toLocaleString('en-GB')
  if (value >= secondsIn.day) return `${Math.floor(value / secondsIn.day)} d`
  if (value >= secondsIn.hour) return `${Math.floor(value / secondsIn.hour)} h`
  if (value >= secondsIn.minute) return `${Math.floor(value / secondsIn.minute)} min`
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.floor(value)} s`
}

function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const amount = bytes / 1000 ** step
  return `${step === 0 || amount >= 100 ? Math.floor(amount) : Math.round(amount * 10) / 10} ${units[step]}`
}
