// The printed pieces of the camera arm. Sizes come from rig.toml through build.py:
//   openscad -D 'piece="elbow"' -D tube=25 … -o elbow.stl arm.scad
piece = "all";
tube = 25;
wall = 6;
clearance = 0.3;
table_edge = 40;
button_hole = 24;
buzzer = 13.8;
$fn = 48;

bore = tube + 2 * clearance;
sleeve = bore + 2 * wall;
m4 = 4 + 2 * clearance;
m8 = 8 + 2 * clearance;
grip = 40;          // length of tube that a sleeve holds
slot = 3;           // gap that a screw closes around the tube

// A sleeve around the z axis, slit toward +x, with ears that two M4 screws draw together.
module sleeve(length = grip) {
  difference() {
    union() {
      cylinder(d = sleeve, h = length);
      translate([0, -slot / 2 - wall, 0]) cube([sleeve / 2 + 12, slot + 2 * wall, length]);
    }
    translate([0, 0, -1]) cylinder(d = bore, h = length + 2);
    translate([0, -slot / 2, -1]) cube([sleeve, slot, length + 2]);
    for (z = [length * 0.25, length * 0.75])
      translate([sleeve / 2 + 6, 0, z]) rotate([90, 0, 0]) cylinder(d = m4, h = sleeve, center = true);
  }
}

// Joins the upright to the boom at a right angle.
module elbow() {
  difference() {
    union() {
      sleeve();
      translate([-sleeve / 2, 0, grip + sleeve / 2 - wall]) rotate([0, -90, 0]) sleeve();
      translate([-sleeve / 2, -sleeve / 2, grip - wall]) cube([sleeve, sleeve, wall]);
      translate([-sleeve / 2 - wall, -sleeve / 2, grip - wall]) cube([wall * 2, sleeve, sleeve]);
    }
    translate([0, 0, -1]) cylinder(d = bore, h = grip - wall + 1);
    translate([-sleeve / 2 - wall, 0, grip + sleeve / 2 - wall]) rotate([0, -90, 0]) cylinder(d = bore, h = grip * 2);
  }
}

// A C that an M8 wing screw presses onto the table's edge, with a sleeve for the upright.
module table_clamp() {
  deep = 60;
  width = sleeve;
  difference() {
    union() {
      translate([0, -width / 2, 0]) cube([deep, width, 2 * wall]);
      translate([0, -width / 2, 0]) cube([2 * wall, width, table_edge + 4 * wall]);
      translate([0, -width / 2, table_edge + 2 * wall]) cube([deep, width, 2 * wall]);
      translate([-sleeve / 2 + wall / 2, 0, table_edge + 4 * wall - grip]) rotate([0, 0, 180]) sleeve(grip + wall);
    }
    translate([deep - 18, 0, -1]) cylinder(d = m8, h = 2 * wall + 2);
    translate([deep - 18, 0, wall]) cylinder(d = 15.2, h = wall + 1, $fn = 6);  // the nut M8 lies inside
  }
}

// Joins a plate to the side of a sleeve that lies away from its slit; `wide` leaves room for the nuts behind the plate.
module shoulder(length, wide = sleeve / 2, gap = 0) {
  difference() {
    translate([-sleeve / 2 - 1 - gap, -wide / 2, 0]) cube([wall + gap, wide, length]);
    translate([0, 0, -1]) cylinder(d = bore, h = length + 2);
  }
}

module holes(dx, dy, d, h) {
  for (x = [-dx / 2, dx / 2], y = [-dy / 2, dy / 2]) translate([x, y, -1]) cylinder(d = d, h = h + 2);
}

// Holds Camera Module 3 (holes 21 x 12.5 mm apart) below the boom's end, looking straight down.
module camera_mount() {
  plate = [36, 42, 4];
  gap = 4;  // for the nuts M2
  sleeve();
  shoulder(plate[1], 14, gap);
  difference() {
    translate([-sleeve / 2 - gap - plate[2] + 1, -plate[0] / 2, 0]) cube([plate[2], plate[0], plate[1]]);
    translate([-sleeve / 2 - gap - plate[2] + 1, 0, plate[1] / 2]) rotate([0, 90, 0]) {
      holes(12.5, 21, 2.4, plate[2]);
      translate([-5, -6, -1]) cube([10, 12, plate[2] - 1.5]);  // room for the parts on the camera's back
    }
  }
}

// Carries the Pi (holes 58 x 49 mm apart) on the boom.
module pi_mount() {
  plate = [66, 4, 92];
  difference() {
    union() {
      translate([0, 0, (plate[2] - grip) / 2]) { sleeve(); shoulder(grip); }
      translate([-sleeve / 2 - plate[1] + 1, -plate[0] / 2, 0]) cube([plate[1], plate[0], plate[2]]);
      for (y = [-49 / 2, 49 / 2], z = [-29, 29])
        translate([-sleeve / 2 - plate[1] + 1, y, plate[2] / 2 + z]) rotate([0, -90, 0]) cylinder(d = 6, h = 4);
    }
    for (y = [-49 / 2, 49 / 2], z = [-29, 29])
      translate([-sleeve / 2 + 2, y, plate[2] / 2 + z]) rotate([0, -90, 0]) cylinder(d = 2.9, h = 20);
    translate([0, 0, -1]) cylinder(d = bore, h = plate[2] + 2);
  }
}

// Three lamps and the buzzer at the table's edge, in the order of a traffic light.
module lamp_bar() {
  size = [130, 30, 26];
  difference() {
    cube(size);
    translate([3, 3, -1]) cube([size[0] - 6, size[1] - 6, size[2] - 2]);
    for (i = [0:2]) translate([18 + 26 * i, size[1] / 2, 0]) cylinder(d = 5 + 2 * clearance, h = size[2] + 1);
    translate([104, size[1] / 2, 0]) cylinder(d = buzzer + 2 * clearance, h = size[2] + 1);
    translate([-1, size[1] / 2, 6]) rotate([0, 90, 0]) cylinder(d = 7, h = 10);
    for (x = [40, 90]) translate([x, -1, 8]) cube([5, size[1] + 2, 2]);  // for the cable ties
  }
}

// A stand for the arcade button.
module button_base() {
  high = 48;
  difference() {
    cylinder(d1 = 92, d2 = 76, h = high);
    translate([0, 0, -1]) cylinder(d1 = 84, d2 = 68, h = high - 3);
    cylinder(d = button_hole + 2 * clearance, h = high + 1);
    translate([0, 0, 8]) rotate([0, 90, 0]) cylinder(d = 6, h = 60);
  }
}

if (piece == "elbow") elbow();
if (piece == "table_clamp") table_clamp();
if (piece == "camera_mount") camera_mount();
if (piece == "pi_mount") pi_mount();
if (piece == "lamp_bar") lamp_bar();
if (piece == "button_base") button_base();
if (piece == "all") {
  table_clamp();
  translate([190, 0, 0]) elbow();
  translate([290, 0, 0]) camera_mount();
  translate([390, 0, 0]) pi_mount();
  translate([0, 150, 0]) lamp_bar();
  translate([260, 170, 0]) button_base();
}
