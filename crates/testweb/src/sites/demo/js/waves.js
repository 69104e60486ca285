// Lets the boat rock when the page is clicked.
document.addEventListener("click", function () {
  var boat = document.querySelector("img");
  if (boat) { boat.style.transform = boat.style.transform ? "" : "rotate(4deg)"; }
});
