export interface DeviceLink {
  /** The address of the broker, without credentials. */
  url: string
  /** The port of the embedded broker; undefined if an external one is used. */
  port: number | undefined
  /**
   * Whether device messages can arrive: the embedded broker is listening, or the external one has a session for this
   * process.
   */
  isUp(): boolean
  /** Stores and acknowledges accepted messages, then ends the connections. */
  stop(): Promise<void>
}
