// The State as `referee/protocol/schema.py` declares it, written from there by `make page-types`;
// for editors and `make lint` alone, no browser loads it.

/** Everything a page shows; `rev` increases with every change and restarts with the referee; `at` is now. */
export interface State {
  rev: number;
  wall: string;
  safe_mode: string | null;
  safe_mode_message: Said | null;
  arbiter: Arbiter | null;
  at: number;
  match: MatchState | null;
  table: TableState;
}

/** A message: in English, and its id and values for the catalogues. */
export interface Said {
  message: string;
  message_id: string;
  values: Record<string, any>;
}

/** The call to the hall's arbiter. */
export interface Arbiter {
  called_at: number | null;
}

/** The current match; `can` lists the useful commands, `played` the tiles played this turn so far. */
export interface MatchState {
  id: string;
  edition: string;
  edition_name: string;
  format: string;
  joker_penalty: number;
  could_open_penalty: number | null;
  began_at: number;
  phase: "idle" | "turn" | "looking" | "doubt" | "time_up" | "restore" | "game_over" | "clearing" | "match_over";
  halted: ("pause" | "camera" | "restart")[];
  game: number;
  games: number;
  turn: number;
  seat: number;
  starter: number;
  players: PlayerState[];
  order: number[];
  clock: ClockState;
  pool: number;
  meld: Meld | null;
  played: string[];
  jokers: JokerState[];
  can: string[];
  undo_turn: number | null;
  undo_until: number | null;
  verdict: Judgement | null;
  now: Now | null;
  asked: Asked[];
  proposal: Proposal | null;
  changed: Changed | null;
  restore: Restore | null;
  results: GameResult[];
  waiting_for_racks: number[] | null;
  racks: ShownRack[];
  rack_asked: RackAsked | null;
  open_racks: OpenRacks[];
  may_be_empty: number | null;
  ranking: number[] | null;
  ranks: number[] | null;
}

/** A player; `bank` is the player's time reserve in seconds, null without one. */
export interface PlayerState {
  seat: number;
  name: string;
  opened: boolean;
  rack: number;
  total: number;
  games_won: number;
  gone: boolean;
  bank: number | null;
}

/** The turn's clock: `ends_at` is set while it runs; `of` is the whole turn, null if untimed. */
export interface ClockState {
  running: boolean;
  of: number | null;
  seconds_left: number | null;
  ends_at: number | null;
}

/** The progress of the initial meld. */
export interface Meld {
  points: number;
  needed: number;
}

/** A joker on the table; `stands_for` is null in a row that is no set. */
export interface JokerState {
  tile: string;
  stands_for: StandsFor | null;
  set: number;
  index: number;
}

/** The numbers and colours that a joker may stand for. */
export interface StandsFor {
  numbers: number[];
  colours: string[];
}

/** The last judgement of the current turn or of the one just finished. */
export interface Judgement {
  verdict: "legal" | "illegal" | "undecided";
  outcome: "played" | "no_play";
  stands: boolean;
  late: boolean;
  game: number;
  turn: number;
  seat: number;
  judged_at: number;
  frame_id: string;
  faults: Fault[];
  played: string[];
  meld: number | null;
}

/** A violation of a rule. */
export interface Fault {
  fault: string;
  set: number | null;
  tiles: string[];
  message: string;
  message_id?: string;
  values?: Record<string, any>;
}

/** The provisional verdict on the table during a turn. */
export interface Now {
  verdict: "legal" | "illegal" | "undecided";
  faults: Fault[];
}

/** A tile that a person should name; `or_none` means that there may be no tile. */
export interface Asked {
  index: number;
  may_be: string[];
  or_none: boolean;
  where: string;
  crop: string | null;
}

/** A player's proposal about one tile or rows; another player may agree until `ends_at`, also in a break. */
export interface Proposal {
  seat: number;
  say: "correct" | "add" | "add_set" | "join" | "part";
  was?: string | null;
  tile?: string | null;
  where?: string;
  rows_were?: string[][];
  rows?: string[][];
  tiles: SpokenOf[];
  ends_at: number;
  seconds_left: number;
}

/** A tile of a proposal, as it lies now. */
export interface SpokenOf {
  quad: [[number, number], [number, number], [number, number], [number, number]];
  crop: string | null;
}

/** Changes to the table while it had to stay untouched. */
export interface Changed {
  missing: string[];
  added: string[];
}

/** The table to restore; `before` is null if it was not seen, as after a restart. */
export interface Restore {
  sets: string[][];
  before: TableBefore | null;
  moves: Move[];
  missing: string[];
  surplus: string[];
}

/** The table as it lay at the turn's start. */
export interface TableBefore {
  picture: string;
  tiles: TileBefore[];
}

/** A tile as it lay at the turn's start; `set` is its index among the sets to restore. */
export interface TileBefore {
  tile: string;
  quad: [[number, number], [number, number], [number, number], [number, number]];
  set: number;
}

/** A step back to the table before. */
export interface Move {
  what: "move" | "bring" | "take_back";
  tile: string;
  set: number | null;
  from: [[number, number], [number, number], [number, number], [number, number]] | null;
  to: [[number, number], [number, number], [number, number], [number, number]] | null;
  index: number | null;
  done: boolean;
}

/** A finished game; `scores` is null until the racks are known. */
export interface GameResult {
  game: number;
  winners: number[];
  blocked: boolean;
  on_time: boolean;
  scores: (number | null)[] | null;
  unopened: number[];
}

/** A rack that was shown to the camera. */
export interface ShownRack {
  seat: number;
  tiles: string[];
  value: number;
}

/** A question about the rack that was shown last. */
export interface RackAsked {
  seat: number;
  reason: "nothing" | "table" | "box" | "count" | "doubt";
  tiles: string[];
  expected: number | null;
}

/** An earlier game without scores: the seats whose racks are missing, and the racks that were shown. */
export interface OpenRacks {
  game: number;
  missing: number[];
  shown: KnownRack[];
}

/** A rack that was shown after a game. */
export interface KnownRack {
  seat: number;
  tiles: string[];
}

/** The table as last seen; `stale` means out of date; `private` means that only the organiser sees pictures. */
export interface TableState {
  frame_id: string | null;
  settled_at: number | null;
  seen_at: number | null;
  camera: "ok" | "lost" | "none";
  hands: boolean;
  stale: boolean;
  size: [number, number] | null;
  picture: string | null;
  live: string | null;
  private: boolean;
  tiles: TileState[];
  sets: SetState[];
  loose: number[];
}

/** A tile on the table; `id` is its track; `tile` is null face down; `crop` is null outside the picture. */
export interface TileState {
  index: number;
  id: number;
  tile: string | null;
  quad: [[number, number], [number, number], [number, number], [number, number]];
  confidence: number;
  unsure: boolean;
  alternatives: [string, number][];
  corrected: CorrectedTile | null;
  crop: string | null;
  played: boolean;
}

/** A tile's reading before its correction; `by`: `organiser`, `players` or names; `missed`: not detected. */
export interface CorrectedTile {
  was: string | null;
  by: string;
  missed?: boolean;
}

/** A set or loose tile on the table; `tiles` are indices. */
export interface SetState {
  tiles: number[];
  state: "ok" | "unfinished" | "wrong" | "doubt";
  kind: "group" | "run" | "mirror" | null;
  worth: number | null;
  new: boolean;
}
